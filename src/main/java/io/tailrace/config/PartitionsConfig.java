package io.tailrace.config;

import java.time.Duration;

/**
 * How far ahead partitions exist.
 *
 * @param daysAhead after today
 * @param checkEvery between two looks
 */
public record PartitionsConfig(int daysAhead, Duration checkEvery) {
    public PartitionsConfig {
        new Checks()
                .between("days_ahead", daysAhead, 1, 60)
                .between("check_every", checkEvery, Duration.ofMinutes(1), Duration.ofHours(6))
                .done();
    }
}
