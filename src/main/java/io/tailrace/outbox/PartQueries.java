package io.tailrace.outbox;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Looking at many parts at once. A failed Future is a {@link io.tailrace.db.DatabaseFailure}. Thread-safe; Futures
 * complete on the caller's context.
 */
public interface PartQueries {
    /**
     * Which parts.
     *
     * @param state null: in any
     * @param botIds null: of any bot
     * @param before only parts enqueued before this one; null: from the newest on
     * @param orderingKey null: of any key. Only together with a state in flight does an index lead to it
     * @param batchId null: of any batch
     * @param limit 1 or more
     */
    record Selection(
            @Nullable PartState state,
            @Nullable Set<String> botIds,
            @Nullable String orderingKey,
            @Nullable String batchId,
            @Nullable PartId before,
            int limit) {
        /** Of any key and batch. */
        public Selection(@Nullable PartState state, @Nullable Set<String> botIds, @Nullable PartId before, int limit) {
            this(state, botIds, null, null, before, limit);
        }
    }

    /** The newest first, by id. */
    Future<List<PartView>> list(UUID tenant, Selection selection, boolean withContent);

    /** How long the oldest part that a sender could claim now has been due; empty when there is none. */
    Future<Optional<Duration>> oldestClaimable(UUID tenant);
}
