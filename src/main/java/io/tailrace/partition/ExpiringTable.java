package io.tailrace.partition;

import java.time.Duration;
import java.time.Instant;

/**
 * A partitioned table whose periods leave some time after they have ended.
 *
 * @param keep how long after its end a period stays; judged by the bound in the catalogue
 */
public record ExpiringTable(PartitionedTable table, Duration keep, DropGuard guard) {
    public ExpiringTable {
        if (keep.isNegative() || keep.isZero()) {
            throw new IllegalArgumentException(table.name() + " must be kept for some time, not for " + keep);
        }
    }

    /** Whether a period with these bounds may go at {@code now}. */
    boolean expired(Span span, Instant now) {
        return !span.to().isAfter(now.minus(keep));
    }

    /** Whether it should have gone so long ago that somebody ought to look (OUT-26). */
    boolean overdue(Span span, Instant now) {
        return !span.to().isAfter(now.minus(keep.multipliedBy(2)));
    }
}
