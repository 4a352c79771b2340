package io.tailrace.config;

import java.time.Duration;

/**
 * The outbox.
 *
 * @param retentionDays days that ended parts are kept; 0 keeps all history
 * @param dedupDays horizon of idempotency in days (OUT-29)
 * @param ledgerDays how long a ledger recognizes a batch after its day has gone (OUT-31); 0: there is none
 * @param lease of a claim that names none
 * @param groupCommit of batches; a flush holds {@link #MOST_FLUSH_ENTRIES} at most
 */
public record OutboxConfig(
        int retentionDays, int dedupDays, int ledgerDays, Duration lease, GroupCommitConfig groupCommit, Retry retry) {
    /** The longest horizon: look-ups over many more daily partitions become slow (OUT-29). */
    public static final int LONGEST_DEDUP_DAYS = 31;

    public static final int LONGEST_LEDGER_DAYS = 3_650;

    /** What one transaction may hold in advisory locks bounds the batches of a flush (OUT-7). */
    public static final int MOST_FLUSH_ENTRIES = 128;

    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);
    public static final Duration LONGEST_LEASE = Duration.ofMinutes(15);

    public OutboxConfig {
        new Checks()
                .between("retention_days", retentionDays, 0, 36_500)
                .between("dedup_days", dedupDays, 1, LONGEST_DEDUP_DAYS)
                .that(
                        retentionDays == 0 || dedupDays <= retentionDays,
                        "dedup_days",
                        "must not be longer than retention_days (" + retentionDays + "), because a day that is gone"
                                + " recognizes nothing, but is " + dedupDays)
                .between("ledger_days", ledgerDays, 0, LONGEST_LEDGER_DAYS)
                .that(
                        ledgerDays == 0 || ledgerDays > dedupDays,
                        "ledger_days",
                        "must be 0 (no ledger) or longer than dedup_days (" + dedupDays + "), within which batches are"
                                + " recognized anyway, but is " + ledgerDays)
                .between("lease", lease, SHORTEST_LEASE, LONGEST_LEASE)
                .between("group_commit.flush_entries", groupCommit.flushEntries(), 1, MOST_FLUSH_ENTRIES)
                .done();
    }

    /** How long each delivery policy is retried. */
    public record Retry(RetryLimit create, RetryLimit targetIdempotent, RetryLimit ephemeral, RetryLimit financial) {}

    /**
     * When a part that keeps failing becomes a dead letter (OUT-19).
     *
     * @param maxAge since it was enqueued
     * @param maxAttempts 0 sets no limit
     */
    public record RetryLimit(Duration maxAge, int maxAttempts) {
        public RetryLimit {
            new Checks()
                    .between("max_age", maxAge, Duration.ofSeconds(1), Duration.ofDays(31))
                    .between("max_attempts", maxAttempts, 0, 1_000_000)
                    .done();
        }
    }
}
