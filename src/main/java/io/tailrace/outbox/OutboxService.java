package io.tailrace.outbox;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The capability, as every edge sees it. A failed Future is a {@link io.tailrace.db.DatabaseFailure}; everything that a
 * caller can expect is a value. Thread-safe; Futures complete on the caller's context.
 */
public interface OutboxService {
    /** Stores a batch once; when the Future completes, it is committed. */
    Future<EnqueueResult> enqueue(UUID tenant, Batch batch);

    /** Stores a batch inside the caller's own READ COMMITTED transaction: its rollback takes the batch along. */
    Future<EnqueueResult> enqueue(SqlConnection connection, UUID tenant, Batch batch);

    /** Leases up to {@code claim.limit()} parts, waiting up to {@code claim.waitFor()} when there are none. */
    default Future<List<Claim.Item>> claim(UUID tenant, Claim claim) {
        return claim(tenant, claim, () -> true);
    }

    /**
     * The same for a caller who may go away while it waits.
     *
     * @param wanted false once nobody is there to take the items: they would only lapse
     */
    Future<List<Claim.Item>> claim(UUID tenant, Claim claim, BooleanSupplier wanted);

    /** The same for a caller who may touch any bot's parts. */
    default Future<List<LeaseResult>> start(UUID tenant, List<Lease> leases) {
        return start(tenant, null, leases);
    }

    /**
     * Records, durably, that the network calls are about to be made; answers in order.
     *
     * @param botIds the only bots the caller may touch; null when any. A part of another is like one that is not there
     */
    Future<List<LeaseResult>> start(UUID tenant, @Nullable Set<String> botIds, List<Lease> leases);

    /** The same for a caller who may touch any bot's parts. */
    default Future<List<LeaseResult>> renew(UUID tenant, List<Lease> leases, Duration lease) {
        return renew(tenant, null, leases, lease);
    }

    /** Extends live leases to now + {@code lease}; answers in order. */
    Future<List<LeaseResult>> renew(UUID tenant, @Nullable Set<String> botIds, List<Lease> leases, Duration lease);

    /** The same for a caller who may touch any bot's parts. */
    default Future<List<LeaseResult>> settle(UUID tenant, List<Settlement> settlements) {
        return settle(tenant, null, settlements);
    }

    /** Ends leases, each for itself; answers in order. */
    Future<List<LeaseResult>> settle(UUID tenant, @Nullable Set<String> botIds, List<Settlement> settlements);

    /** Empty when the tenant has no such part. */
    Future<Optional<PartView>> item(UUID tenant, PartId id, boolean withContent);

    /** The attempts of a part, oldest first; empty when the tenant has no such part. */
    Future<Optional<List<PartView.Attempt>>> attempts(UUID tenant, PartId id);

    /** The stored parts of a batch within the horizon of idempotency, in part order; empty when there are none. */
    Future<List<PartView>> batch(UUID tenant, String batchId);

    /** Parts in flight by state, for one tenant. */
    Future<Map<PartState, Long>> depth(UUID tenant);

    /** What an operator may do. */
    OutboxOperator operator();
}
