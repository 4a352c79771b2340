package io.tailrace.activity;

import io.tailrace.db.GroupCommit;

/**
 * What the log can be told.
 *
 * @param groupCommit false: each append is a transaction of its own, for comparison
 * @param lanes group commit lanes; each has one flush in flight
 */
public record ActivitySettings(boolean groupCommit, int lanes, GroupCommit.Limits limits) {
    /** What one call of the append function carries at most: its arrays are walked, not indexed. */
    public static final int MOST_FLUSH_ENTRIES = 1_000;

    public static final ActivitySettings DEFAULT =
            new ActivitySettings(true, 2, new GroupCommit.Limits(256, 4L << 20, 10_000, 64L << 20, 4));

    public ActivitySettings {
        if (lanes < 1 || limits.flushEntries() > MOST_FLUSH_ENTRIES) {
            throw new IllegalArgumentException(
                    "at least one lane, and flushes of at most " + MOST_FLUSH_ENTRIES + " activities");
        }
    }
}
