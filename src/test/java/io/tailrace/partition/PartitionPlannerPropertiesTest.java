package io.tailrace.partition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class PartitionPlannerPropertiesTest {
    @Property(tries = 300)
    void theFutureIsWholeAfterThePlanWithoutGapOrOverlap(
            @ForAll("tables") PartitionedTable table,
            @ForAll("instants") Instant now,
            @ForAll("subset") List<Boolean> exists) {
        List<Span> expected = PartitionPlanner.expected(table, now);
        List<Span> some = new ArrayList<>();
        for (int i = 0; i < expected.size(); i++) {
            if (exists.get(i % exists.size())) {
                some.add(expected.get(i));
            }
        }
        Observation before = Seen.of(table, now, Seen.made(table, some));

        PartitionPlan plan = PartitionPlanner.plan(table, before);

        assertThat(plan.operations()).hasSize(expected.size() - some.size());
        Observation after = Seen.after(table, before, plan);
        List<Span> all =
                new TreeSet<>(Coverage.of(after.partitions()).spans()).stream().toList();
        assertThat(all).isEqualTo(expected);
        for (int i = 1; i < all.size(); i++) {
            assertThat(all.get(i).from()).isEqualTo(all.get(i - 1).to());
        }
        assertThat(all.get(0).contains(now)).isTrue();
        assertThat(all).hasSize(table.ahead() + 1);
        PartitionPlan again = PartitionPlanner.plan(table, after);
        assertThat(again.operations()).isEmpty();
        assertThat(again.findings()).isEmpty();
    }

    @Property(tries = 300)
    void whateverIsThereNothingMadeOverlapsItAndNothingIsLeftUnsaid(
            @ForAll("tables") PartitionedTable table,
            @ForAll("instants") Instant now,
            @ForAll("odd") List<Integer> hours) {
        // Partitions back to back from before now on, their bounds wherever they fall, every third one missing.
        List<FoundPartition> odd = new ArrayList<>();
        Instant from = now.minus(Duration.ofHours(100));
        for (int i = 0; i < hours.size(); i++) {
            Instant to = from.plus(Duration.ofHours(hours.get(i)));
            if (i % 3 != 2) {
                odd.add(Seen.table("odd_" + i, from, to));
            }
            from = to;
        }
        Observation before = Seen.of(table, now, odd);

        PartitionPlan plan = PartitionPlanner.plan(table, before);

        for (PartitionOperation operation : plan.operations()) {
            assertThat(odd)
                    .noneMatch(found -> found.bounds() instanceof PartitionBounds.Range range
                            && range.span().overlaps(operation.span()));
        }
        Observation after = Seen.after(table, before, plan);
        Coverage coverage = Coverage.of(after.partitions());
        long uncovered = PartitionPlanner.expected(table, now).stream()
                .filter(span -> !coverage.covers(span))
                .count();
        PartitionPlan again = PartitionPlanner.plan(table, after);
        assertThat(again.operations()).isEmpty();
        assertThat(again.findings().stream().filter(found -> found.severity() == Finding.Severity.WARNING))
                .hasSize((int) uncovered);
    }

    @Property(tries = 300)
    void timeGoesOnAndEveryInstantIsTakenAWeekAhead(
            @ForAll("tables") PartitionedTable table,
            @ForAll("instants") Instant start,
            @ForAll("odd") List<Integer> steps) {
        Observation seen = Seen.of(table, start, List.of());
        Instant now = start;
        for (int hours : steps) {
            Observation here = Seen.of(table, now, seen.partitions());
            seen = Seen.after(table, here, PartitionPlanner.plan(table, here));
            assertThat(Coverage.of(seen.partitions()).daysAhead(now)).isGreaterThanOrEqualTo(7);
            now = now.plus(Duration.ofHours(hours % 24));
        }
    }

    @Property(tries = 300)
    void nothingEndsBeforeItsBoundWhateverItsName(
            @ForAll("tables") PartitionedTable table,
            @ForAll("instants") Instant now,
            @ForAll("instants") Instant named) {
        Span span = table.period().at(now);
        String lie = table.partitionName(table.period().at(named));
        Observation seen = Seen.of(table, now, List.of(Seen.table(lie, span.from(), span.to())));
        assertThat(PartitionPlanner.endedBy(table, seen, span.to().minusNanos(1)))
                .isEmpty();
        assertThat(PartitionPlanner.endedBy(table, seen, span.to())).hasSize(1);
    }

    @Provide
    Arbitrary<PartitionedTable> tables() {
        return Combinators.combine(
                        Arbitraries.of(Seen.DAYS, Seen.MONTHS),
                        Arbitraries.integers().between(0, 30))
                .as((table, more) -> table.withAhead(table.ahead() + more));
    }

    /** Ordinary instants, and those just around the edges of months, years, leap days and summer time. */
    @Provide
    Arbitrary<Instant> instants() {
        Arbitrary<Instant> any = Arbitraries.longs()
                .between(
                        Instant.parse("1990-01-01T00:00:00Z").getEpochSecond(),
                        Instant.parse("2190-01-01T00:00:00Z").getEpochSecond())
                .map(Instant::ofEpochSecond);
        List<Instant> edges = new ArrayList<>();
        for (String edge : List.of(
                "2026-12-01T00:00:00Z",
                "2027-01-01T00:00:00Z",
                "2028-02-29T00:00:00Z",
                "2028-03-01T00:00:00Z",
                "2100-03-01T00:00:00Z",
                "2000-02-29T00:00:00Z")) {
            edges.add(Instant.parse(edge));
        }
        for (String zone : List.of("America/New_York", "Asia/Amman")) {
            Instant change = Instant.parse("2021-01-01T00:00:00Z");
            for (int i = 0; i < 2; i++) {
                change = ZoneId.of(zone).getRules().nextTransition(change).getInstant();
                edges.add(change);
            }
        }
        Arbitrary<Instant> around = Combinators.combine(Arbitraries.of(edges), Arbitraries.of(-1L, 0L, 1L))
                .as((edge, micros) -> edge.plusNanos(micros * 1_000));
        return Arbitraries.oneOf(any, around);
    }

    @Provide
    Arbitrary<List<Boolean>> subset() {
        return Arbitraries.of(true, false).list().ofSize(40);
    }

    @Provide
    Arbitrary<List<Integer>> odd() {
        return Arbitraries.integers().between(1, 400).list().ofMaxSize(30);
    }
}
