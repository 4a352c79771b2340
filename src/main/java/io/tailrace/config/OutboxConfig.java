package io.tailrace.config;

import java.time.Duration;

/**
 * The outbox.
 *
 * @param retentionDays days that ended parts are kept; 0 keeps all history
 * @param dedupDays horizon of idempotency in days (OUT-29)
 * @param ledgerDays how long a ledger recognizes a batch after its day has gone (OUT-31); 0: there is none
 * @param lease of a claim that names none
 */
public record OutboxConfig(
        int retentionDays, int dedupDays, int ledgerDays, Duration lease, GroupCommit groupCommit, Retry retry) {
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
                .done();
    }

    /**
     * Enqueues that arrive together are committed together (OUT-10).
     *
     * @param enabled false commits each alone, for comparison
     * @param lanes each has one flush in flight on one connection
     * @param flushEntries batches in one flush
     * @param flushBytes a flush that has reached it is closed
     * @param queueEntries batches that may wait in a lane
     * @param queueBytes the same in bytes
     * @param asideAtOnce batches a lane may commit beside its flushes
     */
    public record GroupCommit(
            boolean enabled,
            int lanes,
            int flushEntries,
            DataSize flushBytes,
            int queueEntries,
            DataSize queueBytes,
            int asideAtOnce) {
        public GroupCommit {
            new Checks()
                    .between("lanes", lanes, 1, 64)
                    .between("flush_entries", flushEntries, 1, MOST_FLUSH_ENTRIES)
                    .between("flush_bytes", flushBytes, DataSize.ofKibibytes(64), DataSize.ofMebibytes(64))
                    .between("queue_entries", queueEntries, 1, 1_000_000)
                    .between("queue_bytes", queueBytes, DataSize.ofKibibytes(64), DataSize.ofMebibytes(1_024))
                    .between("aside_at_once", asideAtOnce, 1, 64)
                    .that(
                            queueEntries >= flushEntries,
                            "queue_entries",
                            "must not be less than flush_entries (" + flushEntries + "), but is " + queueEntries)
                    .that(
                            queueBytes.bytes() >= flushBytes.bytes(),
                            "queue_bytes",
                            "must not be less than flush_bytes (" + flushBytes + "), but is " + queueBytes)
                    .done();
        }

        /** Connections that all lanes together may hold at once. */
        public int connections() {
            return lanes * (1 + asideAtOnce);
        }
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
