package io.tailrace.partition;

import java.time.Duration;

/** How often tables of a period are looked after, and under what name. */
public enum MaintenanceSchedule {
    DAILY(Period.DAY, "daily-partition-maintenance", Duration.ofHours(1)),
    MONTHLY(Period.MONTH, "monthly-partition-maintenance", Duration.ofDays(1));

    private final Period period;
    private final String worker;
    private final Duration every;

    MaintenanceSchedule(Period period, String worker, Duration every) {
        this.period = period;
        this.worker = worker;
        this.every = every;
    }

    public Period period() {
        return period;
    }

    /** The worker's name in logs, metrics and {@code worker_runs}, and of the lock that makes it one in the fleet. */
    public String worker() {
        return worker;
    }

    /** The worker that takes expired periods out; apart, so that nothing it waits for holds up the making of new ones. */
    public String remover() {
        return worker.replace("-maintenance", "-removal");
    }

    /** The readiness entry's name: {@code daily_partition_maintenance}. */
    public String readinessEntry() {
        return worker.replace('-', '_');
    }

    public Duration every() {
        return every;
    }
}
