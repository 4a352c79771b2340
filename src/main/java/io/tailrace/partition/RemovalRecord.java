package io.tailrace.partition;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the manifest, with what the catalogue says about its table now.
 *
 * @param reason what keeps it; null unless {@code stage} is KEPT
 * @param since when it came to this stage, or was first kept
 * @param exists a table of that name and oid is there
 * @param attached it is a partition of its parent, a pending detach included
 */
public record RemovalRecord(
        Span span,
        String partition,
        long oid,
        Stage stage,
        @Nullable String reason,
        Instant since,
        boolean exists,
        boolean attached) {
    /** How far a removal is. */
    public enum Stage {
        KEPT,
        DETACHING,
        DETACHED,
        DROPPED
    }
}
