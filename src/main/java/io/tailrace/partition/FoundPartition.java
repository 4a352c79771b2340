package io.tailrace.partition;

import java.time.Instant;

/**
 * A partition as the catalogue has it.
 *
 * @param name unquoted; says nothing about what the partition holds
 * @param detachPending a DETACH CONCURRENTLY was interrupted between its two transactions: the rows are not seen through
 *     the parent, and inserts into the range fail, until it is finalized
 */
public record FoundPartition(String name, Kind kind, boolean detachPending, PartitionBounds bounds) {
    /** What stands behind the name. */
    public enum Kind {
        TABLE,
        /** Partitioned once more. */
        PARTITIONED,
        FOREIGN
    }

    /** An attached, plain table that holds exactly one period: what the engine makes, and all that it may ever touch. */
    public boolean understood(Period period) {
        return kind == Kind.TABLE
                && !detachPending
                && bounds instanceof PartitionBounds.Range range
                && isOne(period, range.span());
    }

    static boolean isOne(Period period, Span span) {
        return !span.from().equals(Instant.MIN) && period.at(span.from()).equals(span);
    }
}
