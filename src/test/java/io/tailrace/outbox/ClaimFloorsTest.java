package io.tailrace.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.ClaimFloors.Head;
import io.tailrace.outbox.ClaimFloors.Look;
import io.tailrace.outbox.ClaimFloors.Range;
import io.tailrace.outbox.ClaimFloors.Scope;
import io.tailrace.outbox.ClaimFloors.Stray;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.ShortRange;
import net.jqwik.api.constraints.Size;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimFloorsTest {
    private static final UUID TENANT = UUID.fromString("00000000-0000-0000-0000-000000000001");
    private static final Scope SCOPE = new Scope(TENANT, null);
    private static final long MANY = ClaimFloors.WALK_WITHOUT_FLOOR;
    private static final long SLOW = ClaimFloors.SLOW_NANOS;
    private static final long LAST = 1_000_000;

    private long now = 1;
    private final ClaimFloors floors = new ClaimFloors(() -> now);

    @Property(tries = 500)
    void whatALookSawIsSearchedOnceAndInTheOrderOfClaims(
            @ForAll @Size(max = 40) List<@ShortRange Short> priorities,
            @ForAll @Size(max = 70) Set<@IntRange(min = -5, max = 5) Integer> leased,
            @ForAll @Size(max = 20) List<@LongRange(min = 1, max = LAST) Long> strays,
            @ForAll @LongRange(min = 1, max = LAST) long firstId,
            @ForAll boolean complete) {
        now = 1;
        ClaimFloors fresh = new ClaimFloors(() -> now);
        fresh.leased(TENANT, leased);
        List<Head> heads = heads(priorities, firstId);
        assertThat(fresh.lookAt(TENANT, null, SLOW)).isEqualTo(SCOPE);
        fresh.looked(SCOPE, new Look(MANY, LAST, null, heads, complete || heads.isEmpty()), 1);
        fresh.activated(strays.stream().map(id -> new Stray(TENANT, "7", 3, id)).toList());

        List<Range> ranges = fresh.ranges(TENANT, null);

        assertThat(ranges)
                .isSortedAccordingTo(Comparator.comparingInt((Range range) -> -range.highest())
                        .thenComparingLong(Range::from));
        for (Head head : heads) {
            assertThat(searches(ranges, head.priority(), head.id()))
                    .as("%s", head)
                    .isEqualTo(1);
        }
        for (long stray : strays) {
            assertThat(searches(ranges, 3, stray)).as("stray %s", stray).isEqualTo(1);
        }
        for (int priority : new int[] {Short.MIN_VALUE, -3, 0, 7, Short.MAX_VALUE}) {
            assertThat(searches(ranges, priority, LAST + 1))
                    .as("new at %s", priority)
                    .isEqualTo(1);
        }
        if (!complete && !heads.isEmpty() && heads.get(heads.size() - 1).priority() > Short.MIN_VALUE) {
            assertThat(searches(ranges, Short.MIN_VALUE, 1))
                    .as("what the look did not reach")
                    .isEqualTo(1);
        }
    }

    private static List<Head> heads(List<Short> priorities, long firstId) {
        TreeMap<Integer, Long> byPriority = new TreeMap<>(Comparator.reverseOrder());
        for (short priority : priorities) {
            byPriority.put((int) priority, Math.min(LAST, firstId + 3L * byPriority.size()));
        }
        List<Head> heads = new ArrayList<>();
        byPriority.forEach((priority, id) -> heads.add(new Head(priority, id)));
        return heads;
    }

    private static long searches(List<Range> ranges, int priority, long id) {
        return ranges.stream()
                .filter(range -> priority <= range.highest()
                        && priority >= range.lowest()
                        && id >= range.from()
                        && id <= range.to())
                .count();
    }

    @Test
    @DisplayName("OUT-14 a fast search asks for no look, a slow one for one at a time")
    void looksOneAtATime() {
        assertThat(floors.lookAt(TENANT, null, SLOW - 1)).isNull();
        assertThat(floors.lookAt(TENANT, null, SLOW)).isEqualTo(SCOPE);
        assertThat(floors.lookAt(TENANT, null, SLOW)).isNull();
        floors.lookFailed();
        assertThat(floors.lookAt(TENANT, null, SLOW)).as("just failed").isNull();
        now += ClaimFloors.LOOKS_APART_WITHOUT_FLOOR_NANOS;
        assertThat(floors.lookAt(TENANT, null, SLOW)).isEqualTo(SCOPE);
    }

    @Test
    @DisplayName("OUT-14 where little is dead there is no floor")
    void noFloor() {
        floors.lookAt(TENANT, null, SLOW);
        floors.looked(SCOPE, look(MANY - 1, null), 1);

        assertThat(floors.ranges(TENANT, null)).containsExactly(Range.whole(null));
    }

    @Test
    @DisplayName("OUT-14 looks take a twentieth of the time, and are asked for by claims that are fast")
    void looksAreRare() {
        long cost = 400_000_000;
        floors.lookAt(TENANT, null, SLOW);
        floors.looked(SCOPE, look(MANY, null), cost);

        now += ClaimFloors.SHARE * cost - 1;
        assertThat(floors.lookAt(TENANT, null, 0)).isNull();
        now += 1;
        assertThat(floors.lookAt(TENANT, null, 0)).isEqualTo(SCOPE);
    }

    @Test
    @DisplayName("OUT-14 a floor stays below what was leased lately and what enqueues may yet commit")
    void staysBelow() {
        floors.lookAt(TENANT, null, SLOW);
        floors.looked(SCOPE, look(MANY, 5_000L), 1);
        assertThat(floors.ranges(TENANT, null)).allMatch(range -> range.from() == 5_000);

        now += ClaimFloors.LOOKS_APART_NANOS;
        floors.lookAt(TENANT, null, 0);
        floors.looked(SCOPE, look(MANY, null), 1);
        assertThat(floors.ranges(TENANT, null)).allMatch(range -> range.from() == LAST - ClaimFloors.SLACK);
    }

    @Test
    @DisplayName("OUT-14 a floor that nobody has looked at for long is not used")
    void stale() {
        floors.lookAt(TENANT, null, SLOW);
        floors.looked(SCOPE, look(MANY, null), 1);
        now += ClaimFloors.STALE_NANOS;
        assertThat(ClaimFloors.spare(floors.ranges(TENANT, null))).isTrue();
        now += 1;
        assertThat(floors.ranges(TENANT, null)).containsExactly(Range.whole(null));
    }

    @Test
    @DisplayName(
            "OUT-14 a part that became due is searched for through two looks: the first may have begun before it was committed")
    void straysOutliveALook() {
        floors.lookAt(TENANT, null, SLOW);
        floors.looked(SCOPE, look(MANY, null), 1);
        floors.activated(List.of(new Stray(TENANT, "7", 0, 17)));
        for (int looks = 0; looks < 2; looks++) {
            assertThat(searches(floors.ranges(TENANT, null), 0, 17)).isEqualTo(1);
            now += ClaimFloors.LOOKS_APART_NANOS;
            floors.lookAt(TENANT, null, 0);
            floors.looked(SCOPE, look(MANY, null), 1);
        }
        assertThat(searches(floors.ranges(TENANT, null), 0, 17)).isZero();
    }

    @Test
    @DisplayName(
            "OUT-14 more parts become due than can be searched one by one: everything is searched until the next look")
    void tooManyStrays() {
        floors.lookAt(TENANT, null, SLOW);
        floors.looked(SCOPE, look(MANY, null), 1);
        List<Stray> many = new ArrayList<>();
        for (long id = 0; id <= ClaimFloors.MOST_STRAYS; id++) {
            many.add(new Stray(TENANT, "7", 0, id));
        }
        floors.activated(many);

        assertThat(floors.ranges(TENANT, null)).containsExactly(Range.whole(null));
    }

    @Test
    @DisplayName("OUT-14 a claim for several bots searches each from its own floor, and one without from the lowest id")
    void bots() {
        Scope one = new Scope(TENANT, "1");
        assertThat(floors.lookAt(TENANT, List.of("1", "2"), SLOW)).isEqualTo(one);
        floors.looked(one, look(MANY, null), 1);

        List<Range> ranges = floors.ranges(TENANT, List.of("1", "2"));

        assertThat(ranges).contains(Range.whole("2"));
        assertThat(ranges.stream().filter(range -> Objects.equals(range.botId(), "1")))
                .allMatch(range -> range.from() == LAST - ClaimFloors.SLACK);
    }

    private static Look look(long walked, @Nullable Long oldestLease) {
        return new Look(walked, LAST, oldestLease, List.of(), true);
    }
}
