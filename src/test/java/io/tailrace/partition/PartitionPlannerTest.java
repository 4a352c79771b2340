package io.tailrace.partition;

import static io.tailrace.partition.Seen.DAYS;
import static io.tailrace.partition.Seen.MONTHS;
import static io.tailrace.partition.Seen.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.partition.Finding.Kind;
import io.tailrace.partition.Finding.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PartitionPlannerTest {
    private static List<Kind> kinds(PartitionPlan plan) {
        return plan.findings().stream().map(Finding::kind).toList();
    }

    private static List<String> names(PartitionPlan plan) {
        return plan.operations().stream().map(PartitionOperation::partition).toList();
    }

    @Test
    @DisplayName("LIFE-1 an empty daily table gets today and seven days, a monthly one this month and three")
    void fromNothing() {
        assertThat(names(PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, List.of()))))
                .containsExactly(
                        "telegram_outbox_p2026_11_30",
                        "telegram_outbox_p2026_12_01",
                        "telegram_outbox_p2026_12_02",
                        "telegram_outbox_p2026_12_03",
                        "telegram_outbox_p2026_12_04",
                        "telegram_outbox_p2026_12_05",
                        "telegram_outbox_p2026_12_06",
                        "telegram_outbox_p2026_12_07");
        assertThat(names(PartitionPlanner.plan(MONTHS, Seen.of(MONTHS, NOW, List.of()))))
                .containsExactly(
                        "activities_p2026_11", "activities_p2026_12", "activities_p2027_01", "activities_p2027_02");
    }

    @Test
    @DisplayName("LIFE-2 a relation that bears a period's name is not created over; the other days are made")
    void nameTaken() {
        Observation seen = new Observation(NOW, Seen.parent(DAYS), List.of(), Set.of("telegram_outbox_p2026_12_02"));
        PartitionPlan plan = PartitionPlanner.plan(DAYS, seen);
        assertThat(names(plan)).hasSize(7).doesNotContain("telegram_outbox_p2026_12_02");
        assertThat(plan.findings()).singleElement().satisfies(found -> {
            assertThat(found.kind()).isEqualTo(Kind.NAME_TAKEN);
            assertThat(found.severity()).isEqualTo(Severity.WARNING);
            assertThat(found.about()).isEqualTo("telegram_outbox_p2026_12_02");
            assertThat(found.whatToDo()).contains("reattach").contains("rename");
        });
    }

    @Test
    @DisplayName("LIFE-2 a partition that bears another day's name stands in that day's way and is reported")
    void misnamed() {
        FoundPartition liar = Seen.table("telegram_outbox_p2026_12_01", "2026-12-05T00:00:00", "2026-12-06T00:00:00");
        PartitionPlan plan = PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, List.of(liar)));
        assertThat(names(plan)).hasSize(6).doesNotContain("telegram_outbox_p2026_12_05");
        assertThat(kinds(plan)).containsExactly(Kind.NAME_TAKEN);
    }

    @Test
    @DisplayName("LIFE-7 expiry goes by the bound: a name of long ago proves nothing, a foreign name protects nothing")
    void expiryByBound() {
        FoundPartition old = Seen.table("kept_by_hand", "2026-11-01T00:00:00", "2026-11-02T00:00:00");
        FoundPartition liar = Seen.table("telegram_outbox_p2020_01_01", "2026-11-29T00:00:00", "2026-11-30T00:00:00");
        FoundPartition odd = Seen.table("odd", "2026-10-01T00:00:00", "2026-10-09T00:00:00");
        FoundPartition pending = Seen.pending(Seen.table("pending", "2026-09-01T00:00:00", "2026-09-02T00:00:00"));
        FoundPartition foreign = new FoundPartition(
                "foreign",
                FoundPartition.Kind.FOREIGN,
                false,
                new PartitionBounds.Range(Period.DAY.at(Instant.parse("2026-08-01T00:00:00Z"))));
        Observation seen = Seen.of(DAYS, NOW, List.of(liar, old, odd, pending, foreign));
        assertThat(PartitionPlanner.endedBy(DAYS, seen, Instant.parse("2026-11-29T12:00:00Z")))
                .containsExactly(old);
        assertThat(PartitionPlanner.endedBy(DAYS, seen, Instant.parse("2026-11-30T00:00:00Z")))
                .containsExactly(old, liar);
    }

    @Test
    @DisplayName("LIFE-10 beside a DEFAULT partition nothing is made, and what to do about it is said")
    void defaultPartition() {
        FoundPartition rest =
                new FoundPartition("rest", FoundPartition.Kind.TABLE, false, new PartitionBounds.Default());
        PartitionPlan plan = PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, List.of(rest)));
        assertThat(plan.operations()).isEmpty();
        assertThat(kinds(plan)).containsExactly(Kind.DEFAULT_PARTITION);
        assertThat(plan.coverage().takes(NOW)).isTrue();
        assertThat(plan.coverage().daysAhead(NOW)).isEqualTo(-1);
    }

    @Test
    @DisplayName("LIFE-7 partitions bounded by another zone's midnight are left alone; the day they cut is reported")
    void foreignMidnight() {
        // What bounds without an offset become in a session of New York.
        List<FoundPartition> found = new ArrayList<>();
        for (int day = 1; day <= 7; day++) {
            found.add(Seen.table("d" + day, "2026-12-0" + day + "T05:00:00", "2026-12-0" + (day + 1) + "T05:00:00"));
        }
        PartitionPlan plan = PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, found));
        assertThat(names(plan)).containsExactly("telegram_outbox_p2026_11_30");
        assertThat(kinds(plan)).filteredOn(kind -> kind == Kind.ODD_BOUNDS).hasSize(7);
        assertThat(plan.findings())
                .filteredOn(one -> one.severity() == Severity.WARNING)
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.kind()).isEqualTo(Kind.OVERLAP);
                    assertThat(one.detail()).contains("2026-12-01T00:00:00Z");
                });
    }

    @Test
    @DisplayName("LIFE-7 one partition over several periods covers them all and is left alone")
    void wide() {
        FoundPartition legacy = Seen.table("legacy", "2020-01-01T00:00:00", "2026-12-05T00:00:00");
        PartitionPlan plan = PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, List.of(legacy)));
        assertThat(names(plan))
                .containsExactly(
                        "telegram_outbox_p2026_12_05", "telegram_outbox_p2026_12_06", "telegram_outbox_p2026_12_07");
        assertThat(kinds(plan)).containsExactly(Kind.ODD_BOUNDS);
        FoundPartition open = new FoundPartition(
                "open",
                FoundPartition.Kind.TABLE,
                false,
                new PartitionBounds.Range(new Span(Instant.MIN, Instant.MAX)));
        PartitionPlan whole = PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, List.of(open)));
        assertThat(whole.operations()).isEmpty();
        assertThat(kinds(whole)).containsExactly(Kind.ODD_BOUNDS);
    }

    @Test
    @DisplayName("LIFE-7 gaps of the past and beyond the horizon are notes; an overlap is a warning")
    void seams() {
        FoundPartition past = Seen.table("a", "2026-11-01T00:00:00", "2026-11-02T00:00:00");
        FoundPartition far = Seen.table("z", "2027-06-01T00:00:00", "2027-06-02T00:00:00");
        FoundPartition overlapping = Seen.table("b", "2026-11-01T12:00:00", "2026-11-02T00:00:00");
        List<FoundPartition> found = new ArrayList<>(Seen.made(DAYS, PartitionPlanner.expected(DAYS, NOW)));
        found.addAll(List.of(far, past));
        PartitionPlan plan = PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, found));
        assertThat(plan.operations()).isEmpty();
        assertThat(plan.findings()).extracting(Finding::severity).containsOnly(Severity.NOTE);
        assertThat(plan.findings())
                .extracting(Finding::detail)
                .containsExactly(
                        "has no partition for 2026-11-02T00:00:00Z to 2026-11-30T00:00:00Z",
                        "has no partition yet for 2026-12-08T00:00:00Z to 2027-06-01T00:00:00Z");
        found.add(overlapping);
        assertThat(kinds(PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, found))))
                .contains(Kind.OVERLAP);
    }

    @Test
    @DisplayName("LIFE-7 a pending detach takes no rows, is named, and is not created over")
    void pendingDetach() {
        List<FoundPartition> found = new ArrayList<>(Seen.made(DAYS, PartitionPlanner.expected(DAYS, NOW)));
        found.set(0, Seen.pending(found.get(0)));
        PartitionPlan plan = PartitionPlanner.plan(DAYS, Seen.of(DAYS, NOW, found));
        assertThat(plan.operations()).isEmpty();
        assertThat(kinds(plan)).containsExactly(Kind.DETACH_PENDING, Kind.OVERLAP);
        assertThat(plan.coverage().takes(NOW)).isFalse();
    }

    @Test
    @DisplayName("LIFE-7 foreign tables, sub-partitions and bounds that are not understood are reported")
    void notUnderstood() {
        Span day = Period.DAY.at(Instant.parse("2026-11-29T00:00:00Z"));
        Span dayBefore = Period.DAY.at(Instant.parse("2026-11-28T00:00:00Z"));
        PartitionPlan plan = PartitionPlanner.plan(
                DAYS,
                Seen.of(
                        DAYS,
                        NOW,
                        List.of(
                                new FoundPartition(
                                        "f", FoundPartition.Kind.FOREIGN, false, new PartitionBounds.Range(day)),
                                new FoundPartition(
                                        "s",
                                        FoundPartition.Kind.PARTITIONED,
                                        false,
                                        new PartitionBounds.Range(dayBefore)),
                                new FoundPartition(
                                        "u",
                                        FoundPartition.Kind.TABLE,
                                        false,
                                        new PartitionBounds.Unreadable("FOR VALUES IN (1)")))));
        assertThat(kinds(plan)).containsExactly(Kind.FOREIGN_TABLE, Kind.SUBPARTITIONED, Kind.UNREADABLE_BOUNDS);
        assertThat(plan.operations()).hasSize(8);
    }

    @Test
    void aTableThatIsNotThereOrNotFitIsReportedAndLeftAlone() {
        Observation missing = new Observation(NOW, null, List.of(), Set.of());
        assertThat(kinds(PartitionPlanner.plan(DAYS, missing))).containsExactly(Kind.PARENT_MISSING);
        for (Observation.Parent parent : List.of(
                new Observation.Parent("", 0, "", "", false),
                new Observation.Parent("l", 1, "created_at", "timestamp with time zone", false),
                new Observation.Parent("r", 2, "created_at", "timestamp with time zone", false),
                new Observation.Parent("r", 1, "updated_at", "timestamp with time zone", false),
                new Observation.Parent("r", 1, "created_at", "timestamp without time zone", false))) {
            PartitionPlan plan = PartitionPlanner.plan(DAYS, new Observation(NOW, parent, List.of(), Set.of()));
            assertThat(kinds(plan)).containsExactly(Kind.PARENT_UNFIT);
            assertThat(plan.operations()).isEmpty();
        }
    }

    @Test
    @DisplayName("LIFE-10 a foreign key from or to the table is reported")
    void foreignKey() {
        Observation seen = new Observation(
                NOW,
                new Observation.Parent("r", 1, "created_at", "timestamp with time zone", true),
                List.of(),
                Set.of());
        assertThat(kinds(PartitionPlanner.plan(DAYS, seen))).containsExactly(Kind.FOREIGN_KEY);
    }
}
