package io.tailrace.partition;

import java.time.Duration;
import java.util.List;

/**
 * The tables that one worker looks after, and how often.
 *
 * @param every between two runs; readiness says stale after twice that
 * @param tables all of the schedule's period
 */
public record MaintainedTables(MaintenanceSchedule schedule, Duration every, List<PartitionedTable> tables) {
    public MaintainedTables {
        tables = List.copyOf(tables);
        for (PartitionedTable table : tables) {
            if (table.period() != schedule.period()) {
                throw new IllegalArgumentException(table.name() + " does not belong to " + schedule.worker());
            }
        }
    }

    /** Looked after every hour, each with its own days ahead. */
    public static MaintainedTables daily(List<PartitionedTable> tables) {
        return new MaintainedTables(MaintenanceSchedule.DAILY, MaintenanceSchedule.DAILY.every(), tables);
    }

    /** Looked after every day, each with its own months ahead. */
    public static MaintainedTables monthly(List<PartitionedTable> tables) {
        return new MaintainedTables(MaintenanceSchedule.MONTHLY, MaintenanceSchedule.MONTHLY.every(), tables);
    }

    public MaintainedTables withEvery(Duration interval) {
        return new MaintainedTables(schedule, interval, tables);
    }

    /** Every table with this many periods ahead. */
    public MaintainedTables withAhead(int periods) {
        return new MaintainedTables(
                schedule,
                every,
                tables.stream().map(table -> table.withAhead(periods)).toList());
    }
}
