package io.tailrace.partition;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What one run of removals came to.
 *
 * @param anotherRuns some other runner of the fleet held the lock: nothing was done, {@code tables} is empty
 */
public record RemovalRun(boolean anotherRuns, List<TableRun> tables) {
    public RemovalRun {
        tables = List.copyOf(tables);
    }

    /**
     * One table's share.
     *
     * @param dropped names of the partitions that are gone
     * @param reattached those that were brought back
     * @param blocked those that stay, each with what keeps it
     * @param failures what went wrong, each with what it was about; tried again soon
     */
    public record TableRun(
            String table, List<String> dropped, List<String> reattached, List<String> blocked, List<String> failures) {
        public TableRun {
            dropped = List.copyOf(dropped);
            reattached = List.copyOf(reattached);
            blocked = List.copyOf(blocked);
            failures = List.copyOf(failures);
        }
    }

    static RemovalRun anotherIsRunning() {
        return new RemovalRun(true, List.of());
    }

    /** Several schedules' runs as one; another runs when another runs any of them. */
    public static RemovalRun all(List<RemovalRun> runs) {
        return new RemovalRun(
                runs.stream().anyMatch(RemovalRun::anotherRuns),
                runs.stream().flatMap(run -> run.tables().stream()).toList());
    }

    /** Every failure in one line, table by table. */
    public Optional<String> failure() {
        String all = tables.stream()
                .filter(run -> !run.failures().isEmpty())
                .map(run -> run.table() + ": " + String.join("; ", run.failures()))
                .collect(Collectors.joining(" | "));
        return all.isEmpty() ? Optional.empty() : Optional.of(all);
    }
}
