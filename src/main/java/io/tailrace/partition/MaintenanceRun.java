package io.tailrace.partition;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What one run of maintenance came to.
 *
 * @param anotherRuns some other runner of the fleet held the lock: nothing was done, {@code tables} is empty
 */
public record MaintenanceRun(boolean anotherRuns, List<TableRun> tables) {
    public MaintenanceRun {
        tables = List.copyOf(tables);
    }

    /**
     * One table's share.
     *
     * @param created names of the partitions made, nearest first
     * @param daysAhead whole days after today that are covered afterwards; −1 when not even now is
     * @param failures why something was not done, each with what it was about; empty when all went well
     */
    public record TableRun(
            String table, List<String> created, long daysAhead, List<Finding> findings, List<String> failures) {
        public TableRun {
            created = List.copyOf(created);
            findings = List.copyOf(findings);
            failures = List.copyOf(failures);
        }
    }

    static MaintenanceRun anotherIsRunning() {
        return new MaintenanceRun(true, List.of());
    }

    /** Several schedules' runs as one; another runs when another runs any of them. */
    public static MaintenanceRun all(List<MaintenanceRun> runs) {
        return new MaintenanceRun(
                runs.stream().anyMatch(MaintenanceRun::anotherRuns),
                runs.stream().flatMap(run -> run.tables().stream()).toList());
    }

    /** This runner did it, and nothing failed. Findings are no failure: a further run would not mend them. */
    public boolean succeeded() {
        return !anotherRuns && failure().isEmpty();
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
