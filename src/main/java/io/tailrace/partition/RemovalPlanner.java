package io.tailrace.partition;

import io.tailrace.partition.RemovalRecord.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Decides what is to be done about the expired periods of a table. No I/O, no clock of its own. */
final class RemovalPlanner {
    /** Past it, nobody can say what has expired (LIFE-7). */
    static final Duration CLOCKS_APART = Duration.ofMinutes(5);

    private RemovalPlanner() {}

    /**
     * The steps in their order: pending detaches first, because nothing else can be detached before; then what is out
     * already; then what has expired, oldest first, at most {@code most} of it.
     */
    static List<RemovalStep> plan(ExpiringTable expiring, Observation seen, List<RemovalRecord> records, int most) {
        List<RemovalStep> steps = new ArrayList<>();
        for (FoundPartition found : seen.partitions()) {
            if (found.detachPending()) {
                steps.add(new RemovalStep.Finalize(found.name()));
            }
        }
        for (RemovalRecord record : records) {
            boolean underWay = record.stage() == Stage.DETACHING || record.stage() == Stage.DETACHED;
            if (!record.exists()) {
                steps.add(new RemovalStep.Close(record, true));
            } else if (underWay && !record.attached()) {
                steps.add(new RemovalStep.Settle(record));
            } else if (record.attached() && !expiring.expired(record.span(), seen.now()) && !pending(record, seen)) {
                steps.add(new RemovalStep.Close(record, false));
            }
        }
        PartitionPlanner.endedBy(expiring.table(), seen, seen.now().minus(expiring.keep())).stream()
                .limit(most)
                .map(found -> new RemovalStep.Detach(found.name(), ((PartitionBounds.Range) found.bounds()).span()))
                .forEach(steps::add);
        return steps;
    }

    private static boolean pending(RemovalRecord record, Observation seen) {
        return seen.partitions().stream()
                .anyMatch(found -> found.detachPending() && found.name().equals(record.partition()));
    }

    /** Why nothing may be removed while the two clocks tell different times; empty when they agree. */
    static String apart(Instant jvm, Instant postgres) {
        Duration difference = Duration.between(postgres, jvm);
        return difference.abs().compareTo(CLOCKS_APART) <= 0
                ? ""
                : "clock: the service's is " + difference.abs().toSeconds() + " s "
                        + (difference.isNegative() ? "behind" : "ahead of")
                        + " PostgreSQL's; nothing is removed until they agree within "
                        + CLOCKS_APART.toMinutes() + " min";
    }
}
