package io.tailrace.outbox;

import io.vertx.core.Future;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an operator does to the outbox (OUT-24, OUT-32). {@code botIds} are the only bots a caller may touch, null when
 * any: a part of another bot is like one that is not there. A failed Future is a {@link io.tailrace.db.DatabaseFailure}.
 * Thread-safe; Futures complete on the caller's context.
 */
public interface OutboxOperator {
    /** A provider's throttle. */
    String THROTTLED = "throttled";

    /** An operator's word. */
    String OPERATOR = "operator";

    /**
     * Why a bot is not claimed from.
     *
     * @param until null: until it is resumed
     */
    record Pause(String botId, @Nullable Instant until, String reason) {}

    /**
     * Makes a waiting part due now; brings an ended one back, with the parts of its batch that its end had cancelled.
     *
     * @param acceptDuplicateRisk an ambiguous part may have gone out; without this one that creates or pays stays
     */
    Future<OperatorResult> retry(UUID tenant, @Nullable Set<String> botIds, PartId id, boolean acceptDuplicateRisk);

    /** Ends a waiting part as cancelled, and the parts behind it in its batch. */
    Future<OperatorResult> cancel(UUID tenant, @Nullable Set<String> botIds, PartId id);

    /**
     * Nothing of the bot is claimed until then. Beside a provider's throttle, which neither shortens nor ends it.
     *
     * @param until null: until it is resumed
     */
    Future<Void> pause(UUID tenant, String botId, @Nullable Instant until);

    /** Ends an operator's pause. A provider's throttle goes on: see {@link #pauses}. */
    Future<Void> resume(UUID tenant, String botId);

    /** Orders that every matching part is retried or cancelled, at a rate; a dry run only counts. */
    Future<Redrive.Ordered> redrive(UUID tenant, @Nullable Set<String> botIds, Redrive order, boolean dryRun);

    /** How far an order is; empty when there is no such order, or one for other bots. Kept for a month when finished. */
    Future<Optional<Redrive.Progress>> redrive(UUID tenant, @Nullable Set<String> botIds, UUID id);

    /** Parts that others wait behind, by id, from after {@code after} on; 0 for the first page. */
    Future<List<BlockedKey>> blocked(UUID tenant, @Nullable Set<String> botIds, long after, int limit);

    /** The pauses that hold now, by bot and reason, at most a thousand. */
    Future<List<Pause>> pauses(UUID tenant, @Nullable Set<String> botIds);
}
