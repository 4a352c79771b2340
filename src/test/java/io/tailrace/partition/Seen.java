package io.tailrace.partition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Observations for tests of decisions. */
final class Seen {
    static final Instant NOW = Instant.parse("2026-11-30T20:41:26.123456Z");
    static final PartitionedTable DAYS = PartitionedTable.daily("telegram_outbox", "created_at");
    static final PartitionedTable MONTHS = PartitionedTable.monthly("activities", "inserted_at");

    private Seen() {}

    static Observation.Parent parent(PartitionedTable table) {
        return new Observation.Parent("r", 1, table.column(), "timestamp with time zone", false);
    }

    static Observation of(PartitionedTable table, Instant now, List<FoundPartition> partitions) {
        Set<String> taken = new TreeSet<>(PartitionPlanner.expectedNames(table, now));
        taken.retainAll(partitions.stream().map(FoundPartition::name).toList());
        return new Observation(now, parent(table), partitions, taken);
    }

    static FoundPartition table(String name, Instant from, Instant to) {
        return new FoundPartition(
                name, FoundPartition.Kind.TABLE, false, new PartitionBounds.Range(new Span(from, to)));
    }

    static FoundPartition table(String name, String from, String to) {
        return table(name, Instant.parse(from + "Z"), Instant.parse(to + "Z"));
    }

    static FoundPartition pending(FoundPartition found) {
        return new FoundPartition(found.name(), found.kind(), true, found.bounds());
    }

    /** The partitions for these periods, made by the book. */
    static List<FoundPartition> made(PartitionedTable table, List<Span> spans) {
        return spans.stream()
                .map(span -> table(table.partitionName(span), span.from(), span.to()))
                .toList();
    }

    /** What would be there after the plan was carried out. */
    static Observation after(PartitionedTable table, Observation before, PartitionPlan plan) {
        List<FoundPartition> partitions = new ArrayList<>(before.partitions());
        plan.operations()
                .forEach(operation -> partitions.add(table(
                        operation.partition(),
                        operation.span().from(),
                        operation.span().to())));
        return of(table, before.now(), partitions);
    }
}
