package io.tailrace.partition;

import io.tailrace.partition.Finding.Kind;
import io.tailrace.partition.Finding.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What is odd about the partitions that are there. Pure; nothing that it names is ever touched. */
final class PartitionInspection {
    private PartitionInspection() {}

    static List<Finding> inspect(PartitionedTable table, Observation seen) {
        List<Finding> findings = new ArrayList<>();
        if (seen.parent() != null && seen.parent().hasForeignKey()) {
            findings.add(new Finding(
                    Severity.NOTE,
                    Kind.FOREIGN_KEY,
                    table.name(),
                    "has a foreign key, so removing one of its partitions locks the other table",
                    "drop the foreign key"));
        }
        seen.partitions().stream()
                .flatMap(found -> inspect(table.period(), found))
                .forEach(findings::add);
        findings.addAll(seams(table, seen));
        return findings;
    }

    private static Stream<Finding> inspect(Period period, FoundPartition found) {
        Stream.Builder<Finding> findings = Stream.builder();
        if (found.detachPending()) {
            findings.add(new Finding(
                    Severity.WARNING,
                    Kind.DETACH_PENDING,
                    found.name(),
                    "its detach was interrupted: its rows are hidden, inserts into its time fail, and no other"
                            + " partition of the table can be detached",
                    "ALTER TABLE … DETACH PARTITION … FINALIZE, once older transactions have ended"));
        }
        switch (found.kind()) {
            case TABLE -> {}
            case FOREIGN ->
                findings.add(note(Kind.FOREIGN_TABLE, found, "is a foreign table", "it is left alone, expired or not"));
            case PARTITIONED ->
                findings.add(
                        note(Kind.SUBPARTITIONED, found, "is partitioned itself", "it is left alone, expired or not"));
        }
        if (found.bounds() instanceof PartitionBounds.Default) {
            findings.add(new Finding(
                    Severity.WARNING,
                    Kind.DEFAULT_PARTITION,
                    found.name(),
                    "is a DEFAULT partition: beside it no partition can be made without locking writers out, and none"
                            + " can be detached concurrently",
                    "move its rows into partitions of their period, then detach and drop it"));
        } else if (found.bounds() instanceof PartitionBounds.Unreadable unreadable) {
            findings.add(new Finding(
                    Severity.WARNING,
                    Kind.UNREADABLE_BOUNDS,
                    found.name(),
                    "has bounds that are not understood: " + unreadable.expression(),
                    "detach it, or give it the bounds of a whole " + period.wireName()));
        } else if (found.bounds() instanceof PartitionBounds.Range range
                && !FoundPartition.isOne(period, range.span())) {
            findings.add(note(
                    Kind.ODD_BOUNDS,
                    found,
                    "holds " + range.span() + ", which is not one " + period.wireName() + " of UTC",
                    "it is left alone, expired or not; split its rows into whole " + period.wireName()
                            + "s to have it maintained"));
        }
        return findings.build();
    }

    /** Where neighbours do not meet. Within the expected periods that is the planner's business. */
    private static List<Finding> seams(PartitionedTable table, Observation seen) {
        List<Finding> findings = new ArrayList<>();
        List<Span> upcoming = PartitionPlanner.expected(table, seen.now());
        Span horizon = new Span(
                upcoming.get(0).from(), upcoming.get(upcoming.size() - 1).to());
        record Held(String name, Span span) {}
        List<Held> held = new ArrayList<>();
        for (FoundPartition found : seen.partitions()) {
            if (found.bounds() instanceof PartitionBounds.Range range) {
                held.add(new Held(found.name(), range.span()));
            }
        }
        held.sort(Comparator.comparing(Held::span));
        Instant end = Instant.MIN;
        String before = "";
        for (Held next : held) {
            Instant from = next.span.from();
            if (!before.isEmpty() && from.isBefore(end)) {
                findings.add(new Finding(
                        Severity.WARNING,
                        Kind.OVERLAP,
                        next.name,
                        "overlaps " + before,
                        "PostgreSQL does not allow this: check the catalogue for damage"));
            } else if (!before.isEmpty() && from.isAfter(end)) {
                findings.addAll(gap(table, horizon, new Span(end, from)));
            }
            if (next.span.to().isAfter(end)) {
                end = next.span.to();
                before = next.name;
            }
        }
        return findings;
    }

    private static List<Finding> gap(PartitionedTable table, Span horizon, Span gap) {
        List<Finding> findings = new ArrayList<>();
        if (gap.from().isBefore(horizon.from())) {
            Span past = new Span(gap.from(), earlier(gap.to(), horizon.from()));
            findings.add(new Finding(
                    Severity.NOTE,
                    Kind.GAP,
                    table.name(),
                    "has no partition for " + past,
                    "nothing, where that time was removed on purpose; otherwise reattach its table, or rows of that"
                            + " time stay refused"));
        }
        if (gap.to().isAfter(horizon.to())) {
            Span future = new Span(later(gap.from(), horizon.to()), gap.to());
            findings.add(new Finding(
                    Severity.NOTE,
                    Kind.GAP,
                    table.name(),
                    "has no partition yet for " + future,
                    "nothing: it is filled as its time comes near"));
        }
        return findings;
    }

    private static Finding note(Kind kind, FoundPartition found, String detail, String whatToDo) {
        return new Finding(Severity.NOTE, kind, found.name(), detail, whatToDo);
    }

    private static Instant earlier(Instant a, Instant b) {
        return a.isBefore(b) ? a : b;
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
