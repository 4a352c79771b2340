package io.tailrace.partition;

import io.tailrace.partition.Finding.Kind;
import io.tailrace.partition.Finding.Severity;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides what a table's partitions lack: expected against found. No I/O, no clock of its own; the same observation
 * gives the same plan, and a plan that was carried out leaves nothing to plan.
 */
public final class PartitionPlanner {
    private static final String KEY_TYPE = "timestamp with time zone";

    private PartitionPlanner() {}

    /** The periods that must exist at {@code now}: the current one and those ahead. */
    public static List<Span> expected(PartitionedTable table, Instant now) {
        return table.period().upcoming(now, table.ahead());
    }

    /** The names that {@link Observation#namesTaken} has to be asked about. */
    static List<String> expectedNames(PartitionedTable table, Instant now) {
        return expected(table, now).stream().map(table::partitionName).toList();
    }

    public static PartitionPlan plan(PartitionedTable table, Observation seen) {
        Coverage coverage = Coverage.of(seen.partitions());
        Optional<Finding> unfit = unfit(table, seen);
        if (unfit.isPresent()) {
            return new PartitionPlan(List.of(), List.of(unfit.get()), coverage);
        }
        List<Finding> findings = new ArrayList<>(PartitionInspection.inspect(table, seen));
        // ATTACH would lock and scan the DEFAULT partition, and writers would queue behind its readers.
        boolean mayCreate =
                seen.partitions().stream().noneMatch(found -> found.bounds() instanceof PartitionBounds.Default);
        List<PartitionOperation> operations = new ArrayList<>();
        for (Span span : expected(table, seen.now())) {
            if (coverage.covers(span) || !mayCreate) {
                continue;
            }
            Optional<Finding> obstacle = obstacle(table, span, seen);
            if (obstacle.isPresent()) {
                findings.add(obstacle.get());
            } else {
                operations.add(new PartitionOperation.Create(table.partitionName(span), span));
            }
        }
        return new PartitionPlan(operations, findings, coverage);
    }

    /**
     * The partitions that end at or before {@code cutoff} and that the engine understands, oldest first. Judged by the
     * bound in the catalogue: a name proves nothing.
     */
    public static List<FoundPartition> endedBy(PartitionedTable table, Observation seen, Instant cutoff) {
        return seen.partitions().stream()
                .filter(found -> found.understood(table.period()))
                .filter(found -> !range(found).to().isAfter(cutoff))
                .sorted((a, b) -> range(a).compareTo(range(b)))
                .toList();
    }

    private static Span range(FoundPartition understood) {
        return ((PartitionBounds.Range) understood.bounds()).span();
    }

    private static Optional<Finding> obstacle(PartitionedTable table, Span span, Observation seen) {
        String name = table.partitionName(span);
        for (FoundPartition found : seen.partitions()) {
            if (found.bounds() instanceof PartitionBounds.Range range
                    && range.span().overlaps(span)) {
                return Optional.of(new Finding(
                        Severity.WARNING,
                        Kind.OVERLAP,
                        found.name(),
                        "holds " + range.span() + (found.detachPending() ? ", its detach is pending," : "")
                                + " and stands in the way of the partition for " + span,
                        found.detachPending()
                                ? "finalize the detach of " + found.name() + "; the next run then makes the partition"
                                : "attach a table for the part of " + span + " that no partition holds, or give "
                                        + found.name() + " the bounds of whole "
                                        + table.period().wireName() + "s"));
            }
        }
        if (seen.namesTaken().contains(name)) {
            return Optional.of(new Finding(
                    Severity.WARNING,
                    Kind.NAME_TAKEN,
                    name,
                    "a relation of that name exists and does not hold " + span
                            + "; the partition for that time is not made",
                    "if it is that period's detached table, reattach it; otherwise rename it, and the next run makes"
                            + " the partition"));
        }
        return Optional.empty();
    }

    private static Optional<Finding> unfit(PartitionedTable table, Observation seen) {
        Observation.Parent parent = seen.parent();
        if (parent == null) {
            return Optional.of(new Finding(
                    Severity.WARNING,
                    Kind.PARENT_MISSING,
                    table.name(),
                    "there is no such table",
                    "run the migrations, or correct the table's name in the configuration"));
        }
        String reason = null;
        if (!parent.strategy().equals("r")) {
            reason = "it is not partitioned by RANGE";
        } else if (parent.keyColumns() != 1 || !parent.keyColumn().equals(table.column())) {
            reason = "its partition key is not the one column " + table.column();
        } else if (!parent.keyType().equals(KEY_TYPE)) {
            reason = "its partition key is a " + parent.keyType() + ", not a " + KEY_TYPE;
        }
        return Optional.ofNullable(reason)
                .map(because -> new Finding(
                        Severity.WARNING,
                        Kind.PARENT_UNFIT,
                        table.name(),
                        "cannot be maintained: " + because,
                        "convert the table, or take it out of the configuration"));
    }
}
