package io.tailrace.partition;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of removals would do about one partition (LIFE-9).
 *
 * @param action {@code drop}, {@code finalize}, {@code settle} (it is detached already: dropped or brought back) or {@code keep}
 *     (it is not due any more)
 * @param from null where only the name is known
 * @param rows an estimate
 * @param blockedBy what would keep it from it now; empty when nothing
 * @param why in words
 */
public record RemovalPreview(
        String table,
        String partition,
        String action,
        @Nullable Instant from,
        @Nullable Instant to,
        long rows,
        long bytes,
        List<String> blockedBy,
        String why) {
    static RemovalPreview of(
            ExpiringTable expiring, RemovalStep step, PartitionCatalog.Size size, List<String> blockedBy) {
        String table = expiring.table().name();
        if (step instanceof RemovalStep.Detach detach) {
            return new RemovalPreview(
                    table,
                    step.partition(),
                    "drop",
                    detach.span().from(),
                    detach.span().to(),
                    size.rows(),
                    size.bytes(),
                    blockedBy,
                    "ended " + detach.span().to() + ", kept for "
                            + expiring.keep().toDays() + " days");
        }
        if (step instanceof RemovalStep.Settle settle) {
            return of(table, settle.record(), "settle", size, blockedBy, "is detached: to be dropped, or brought back");
        }
        if (step instanceof RemovalStep.Close close) {
            return of(table, close.record(), "keep", size, blockedBy, close.gone() ? "is gone" : "is not due any more");
        }
        return new RemovalPreview(
                table,
                step.partition(),
                "finalize",
                null,
                null,
                size.rows(),
                size.bytes(),
                blockedBy,
                "its detach was interrupted: its rows are hidden");
    }

    private static RemovalPreview of(
            String table,
            RemovalRecord record,
            String action,
            PartitionCatalog.Size size,
            List<String> blockedBy,
            String why) {
        return new RemovalPreview(
                table,
                record.partition(),
                action,
                record.span().from(),
                record.span().to(),
                size.rows(),
                size.bytes(),
                blockedBy,
                why);
    }
}
