package io.tailrace.outbox;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a claim's search for candidates may begin, while somebody's old snapshot keeps dead rows from being vacuumed.
 *
 * <p>Candidates that have gone stay in the index until no snapshot can see them, and a search from the lowest id walks
 * past each. When a search was slow, a <em>look</em> in the background ({@link ClaimFloorStore}) says how much of it was
 * dead and where the first live candidate of each priority is. Until the next look, searches begin there. Where next to
 * nothing is dead, there is no floor, and every search sees everything.
 *
 * <p>A floor decides what a claim looks at first, never what it may lease. What becomes a candidate below one is found
 * at once if this instance made it so because its time came ({@link #activated}), otherwise by the next look: looks take
 * at most a twentieth of the time, and a floor that has not been looked at for long is not used.
 *
 * <p>Does no I/O; may be called from any thread.
 */
final class ClaimFloors {
    /** Index entries that a look may walk without calling for a floor: 2 to 4 ms of a claim. */
    static final long WALK_WITHOUT_FLOOR = 4_000;
    /** Ids below the highest given out that no floor passes: enqueues that have their ids and are yet to commit. */
    static final long SLACK = 2_000;
    /** A search that takes longer is suspected of walking past dead rows. */
    static final long SLOW_NANOS = 4_000_000;

    /** A look may take one in so many nanoseconds of the time. */
    static final int SHARE = 20;

    static final long LOOKS_APART_NANOS = 250_000_000;
    static final long LOOKS_APART_WITHOUT_FLOOR_NANOS = 1_000_000_000;
    /** The least age at which a floor is no longer used. */
    static final long STALE_NANOS = 5_000_000_000L;

    static final int MOST_SCOPES = 1_000;
    static final int MOST_PRIORITIES = 64;
    static final int MOST_STRAYS = 200;

    /** Whose candidates: a tenant's, or of those one bot's; each has an index that is searched. */
    record Scope(UUID tenant, @Nullable String botId) {}

    /** The first live candidate of a priority. */
    record Head(int priority, long id) {}

    /** A part whose time came. */
    record Stray(UUID tenant, String botId, int priority, long id) {}

    /** Candidates to search, of these priorities and ids, all inclusive; of one bot if it names one. */
    record Range(@Nullable String botId, int highest, int lowest, long from, long to) {
        static Range whole(@Nullable String botId) {
            return new Range(botId, Short.MAX_VALUE, Short.MIN_VALUE, 0, Long.MAX_VALUE);
        }
    }

    /**
     * What a look found.
     *
     * @param walked index entries read on the way, nearly all of them dead
     * @param lastId the highest id given out when it began
     * @param oldestLease the lowest id leased lately: what comes after it on its key becomes a candidate soon
     * @param heads by priority, highest first
     * @param complete false if there were more priorities than a look goes through
     */
    record Look(long walked, long lastId, @Nullable Long oldestLease, List<Head> heads, boolean complete) {}

    private record Floor(
            Map<Integer, Long> byPriority,
            long elsewhere,
            @Nullable Integer unknownBelow,
            long lookedAt,
            long cost) {
        boolean stale(long now) {
            return now - lookedAt > Math.max(STALE_NANOS, 2 * SHARE * cost);
        }
    }

    private final LongSupplier nanoTime;
    private final Map<Scope, Floor> floors = new HashMap<>();
    private final Map<UUID, Set<Integer>> priorities = new HashMap<>();
    /** With the number of looks since: one that began before the part's transaction had ended has not seen it. */
    private final Map<Stray, Integer> strays = new LinkedHashMap<>();

    private boolean looking;
    private long nextLook;

    /** @param nanoTime monotonic, never a calendar */
    ClaimFloors(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.nextLook = nanoTime.getAsLong();
    }

    /** What to search, in the order of candidates. Without a floor one range a bot, or one in all, that spares nothing. */
    synchronized List<Range> ranges(UUID tenant, @Nullable List<String> botIds) {
        List<Range> ranges = new ArrayList<>();
        for (Scope scope : scopes(tenant, botIds)) {
            Floor floor = floors.get(scope);
            if (floor == null || floor.stale(nanoTime.getAsLong())) {
                ranges.add(Range.whole(scope.botId()));
            } else {
                ranges.addAll(above(scope, floor));
            }
        }
        return ranges;
    }

    /** Whether something may lie outside. */
    static boolean spare(List<Range> ranges) {
        return ranges.stream().anyMatch(range -> !range.equals(Range.whole(range.botId())));
    }

    /** What this tenant's claims have leased: priorities whose dead candidates lie together. */
    synchronized void leased(UUID tenant, Set<Integer> found) {
        if (priorities.size() < MOST_SCOPES || priorities.containsKey(tenant)) {
            Set<Integer> known = priorities.computeIfAbsent(tenant, key -> new HashSet<>());
            for (Integer priority : found) {
                if (known.size() < MOST_PRIORITIES) {
                    known.add(priority);
                }
            }
        }
    }

    /** Parts have just become candidates because their time came; they may lie below a floor. */
    synchronized void activated(List<Stray> parts) {
        if (floors.isEmpty() || parts.isEmpty()) {
            return;
        }
        if (strays.size() + parts.size() > MOST_STRAYS) {
            // More than can be searched one by one: without floors until the next look.
            floors.clear();
            strays.clear();
        } else {
            parts.forEach(part -> strays.put(part, 0));
        }
    }

    /**
     * Whether a look should be taken now, and at what; then {@link #looked} or {@link #lookFailed} has to follow.
     *
     * @param searchedNanos how long the claim's search took
     */
    synchronized @Nullable Scope lookAt(UUID tenant, @Nullable List<String> botIds, long searchedNanos) {
        long now = nanoTime.getAsLong();
        if (looking || now - nextLook < 0) {
            return null;
        }
        Scope oldest = null;
        long oldestAt = 0;
        for (Scope scope : scopes(tenant, botIds)) {
            Floor floor = floors.get(scope);
            if (floor == null && searchedNanos >= SLOW_NANOS && floors.size() < MOST_SCOPES) {
                oldest = scope;
                break;
            }
            if (floor != null && (oldest == null || floor.lookedAt() - oldestAt < 0)) {
                oldest = scope;
                oldestAt = floor.lookedAt();
            }
        }
        if (oldest != null) {
            looking = true;
        }
        return oldest;
    }

    synchronized void looked(Scope scope, Look look, long costNanos) {
        looking = false;
        long now = nanoTime.getAsLong();
        boolean needed = look.walked() >= WALK_WITHOUT_FLOOR;
        nextLook = now + Math.max(needed ? LOOKS_APART_NANOS : LOOKS_APART_WITHOUT_FLOOR_NANOS, SHARE * costNanos);
        strays.replaceAll((stray, looks) -> covers(scope, stray) ? looks + 1 : looks);
        strays.values().removeIf(looks -> looks > 1);
        if (!needed) {
            floors.remove(scope);
            return;
        }
        long most = Math.max(0, look.lastId() - SLACK);
        if (look.oldestLease() != null) {
            most = Math.min(most, look.oldestLease());
        }
        Map<Integer, Long> byPriority = new TreeMap<>();
        for (Head head : look.heads()) {
            byPriority.put(head.priority(), Math.min(most, head.id()));
        }
        Integer unknownBelow = look.complete()
                ? null
                : look.heads().get(look.heads().size() - 1).priority();
        floors.put(scope, new Floor(byPriority, most, unknownBelow, now, costNanos));
    }

    synchronized void lookFailed() {
        looking = false;
        nextLook = nanoTime.getAsLong() + LOOKS_APART_WITHOUT_FLOOR_NANOS;
    }

    private static List<Scope> scopes(UUID tenant, @Nullable List<String> botIds) {
        return botIds == null
                ? List.of(new Scope(tenant, null))
                : botIds.stream().distinct().map(bot -> new Scope(tenant, bot)).toList();
    }

    private static boolean covers(Scope scope, Stray stray) {
        return stray.tenant().equals(scope.tenant())
                && (scope.botId() == null || scope.botId().equals(stray.botId()));
    }

    private List<Range> above(Scope scope, Floor floor) {
        TreeSet<Integer> known = new TreeSet<>(Comparator.reverseOrder());
        known.addAll(floor.byPriority().keySet());
        known.addAll(priorities.getOrDefault(scope.tenant(), Set.of()));
        List<Range> ranges = new ArrayList<>();
        int highest = Short.MAX_VALUE;
        for (int priority : known) {
            if (priority < highest) {
                ranges.add(range(scope, floor, highest, priority + 1, floor.elsewhere()));
            }
            ranges.add(range(
                    scope, floor, priority, priority, floor.byPriority().getOrDefault(priority, floor.elsewhere())));
            highest = priority - 1;
        }
        if (highest >= Short.MIN_VALUE) {
            ranges.add(range(scope, floor, highest, Short.MIN_VALUE, floor.elsewhere()));
        }
        for (Stray stray : strays.keySet()) {
            if (covers(scope, stray)
                    && ranges.stream()
                            .noneMatch(range -> stray.priority() <= range.highest()
                                    && stray.priority() >= range.lowest()
                                    && stray.id() >= range.from()
                                    && stray.id() <= range.to())) {
                ranges.add(new Range(scope.botId(), stray.priority(), stray.priority(), stray.id(), stray.id()));
            }
        }
        ranges.sort(Comparator.comparingInt((Range range) -> -range.highest()).thenComparingLong(Range::from));
        return ranges;
    }

    private static Range range(Scope scope, Floor floor, int highest, int lowest, long from) {
        boolean unknown = floor.unknownBelow() != null && highest < floor.unknownBelow();
        return new Range(scope.botId(), highest, lowest, unknown ? 0 : from, Long.MAX_VALUE);
    }
}
