package io.tailrace.outbox;

import io.tailrace.db.GroupCommit;

/**
 * What the outbox can be told.
 *
 * @param horizonDays how far back an enqueue looks for its batch (OUT-29)
 * @param ledgerDays how long a batch is recognized after its day has gone (OUT-31); 0: no longer
 * @param groupCommit false: each enqueue is a transaction of its own, for comparison
 * @param lanes group commit lanes; each has one flush in flight
 */
public record OutboxSettings(
        int horizonDays,
        int ledgerDays,
        boolean groupCommit,
        int lanes,
        GroupCommit.Limits limits,
        RetryPolicy retryPolicy) {
    /** Advisory locks a transaction may hold, which bounds the batches of a flush. */
    public static final int MOST_FLUSH_ENTRIES = 128;

    /** The longest horizon of idempotency (OUT-29): a batch's parts lie no further apart. */
    static final int LONGEST_HORIZON_DAYS = 31;

    public static final OutboxSettings DEFAULT = new OutboxSettings(
            7, 0, true, 2, new GroupCommit.Limits(128, 4L << 20, 10_000, 64L << 20, 4), RetryPolicy.DEFAULT);

    public OutboxSettings {
        if (limits.flushEntries() > MOST_FLUSH_ENTRIES) {
            throw new IllegalArgumentException("a flush of " + limits.flushEntries()
                    + " batches would hold more advisory locks than allowed; at most " + MOST_FLUSH_ENTRIES);
        }
    }
}
