package io.tailrace.config;

import java.time.Duration;

/**
 * How far ahead partitions exist, and how expired ones leave.
 *
 * @param daysAhead after today
 * @param checkEvery between two looks
 * @param detachWait how long a detach may wait for older transactions before it is cancelled and tried again
 * @param blockerWait how long one waits, before a detach begins, for old transactions that hold the table
 * @param removalsPerCheck periods of a table that one look takes out
 */
public record PartitionsConfig(
        int daysAhead, Duration checkEvery, Duration detachWait, Duration blockerWait, int removalsPerCheck) {
    public PartitionsConfig {
        new Checks()
                .between("days_ahead", daysAhead, 1, 60)
                .between("check_every", checkEvery, Duration.ofMinutes(1), Duration.ofHours(6))
                .between("detach_wait", detachWait, Duration.ofSeconds(1), Duration.ofMinutes(30))
                .between("blocker_wait", blockerWait, Duration.ofSeconds(1), Duration.ofMinutes(10))
                .between("removals_per_check", removalsPerCheck, 1, 100)
                .done();
    }
}
