package io.tailrace.partition;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table and its partitions for people to look at, oldest first.
 *
 * @param period {@code day} or {@code month}
 */
public record TableView(String table, String period, List<PartitionView> partitions) {
    public TableView {
        partitions = List.copyOf(partitions);
    }

    /**
     * @param from null where there is no such bound
     * @param to null where there is no such bound
     * @param rowsEstimate what PostgreSQL's statistics say; no row was counted
     * @param bytes with indexes and TOAST
     * @param state {@code future}, {@code live}, {@code detach_pending}, or {@code not_understood} where the engine
     *     leaves the partition alone
     * @param blockedBy what keeps it from going; null when nothing does
     */
    public record PartitionView(
            String name,
            @Nullable Instant from,
            @Nullable Instant to,
            long rowsEstimate,
            long bytes,
            String state,
            @Nullable String blockedBy) {}
}
