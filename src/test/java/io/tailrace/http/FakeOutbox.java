package io.tailrace.http;

import io.tailrace.outbox.Batch;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.LeaseResult;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.PartView;
import io.tailrace.outbox.Settlement;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Remembers what it was asked and answers that all went well, or what a test wants it to answer. */
final class FakeOutbox implements OutboxService {
    static final Instant CREATED = Instant.parse("2026-11-30T20:41:26.123456Z");

    final List<Batch> batches = new CopyOnWriteArrayList<>();
    final List<Claim> claims = new CopyOnWriteArrayList<>();
    final List<Lease> leases = new CopyOnWriteArrayList<>();
    final List<Settlement> settlements = new CopyOnWriteArrayList<>();
    private final AtomicLong ids = new AtomicLong();

    /** The bots of the key that asked last. */
    volatile @Nullable Set<String> bots;

    final FakeOperator operator = new FakeOperator();
    volatile @Nullable Function<Batch, Future<EnqueueResult>> enqueue;
    volatile Future<List<Claim.Item>> claimed = Future.succeededFuture(List.of());
    volatile @Nullable Function<Lease, LeaseResult> lease;
    volatile Future<Optional<PartView>> item = Future.succeededFuture(Optional.empty());
    volatile Future<Optional<List<PartView.Attempt>>> attempts = Future.succeededFuture(Optional.empty());
    volatile Future<List<PartView>> parts = Future.succeededFuture(List.of());

    void forget() {
        batches.clear();
        claims.clear();
        leases.clear();
        settlements.clear();
        enqueue = null;
        lease = null;
        claimed = Future.succeededFuture(List.of());
        item = Future.succeededFuture(Optional.empty());
        attempts = Future.succeededFuture(Optional.empty());
        parts = Future.succeededFuture(List.of());
    }

    /** Whether anything was asked that could have changed something. */
    boolean untouched() {
        return batches.isEmpty() && claims.isEmpty() && leases.isEmpty() && settlements.isEmpty();
    }

    @Override
    public Future<EnqueueResult> enqueue(UUID tenant, Batch batch) {
        batches.add(batch);
        Function<Batch, Future<EnqueueResult>> wanted = enqueue;
        if (wanted != null) {
            return wanted.apply(batch);
        }
        List<EnqueueResult.StoredPart> stored = IntStream.range(0, batch.parts().size())
                .mapToObj(i -> new EnqueueResult.StoredPart(
                        new PartId(ids.incrementAndGet(), CREATED), "tgop:v1:0", i, PartState.PENDING, true, true))
                .toList();
        return Future.succeededFuture(new EnqueueResult.Stored(batch.batchId(), stored.size(), stored));
    }

    @Override
    public Future<EnqueueResult> enqueue(SqlConnection connection, UUID tenant, Batch batch) {
        return enqueue(tenant, batch);
    }

    @Override
    public Future<List<Claim.Item>> claim(UUID tenant, Claim claim, java.util.function.BooleanSupplier wanted) {
        claims.add(claim);
        return claimed;
    }

    @Override
    public Future<List<LeaseResult>> start(UUID tenant, @Nullable Set<String> botIds, List<Lease> started) {
        bots = botIds;
        leases.addAll(started);
        return results(started, null);
    }

    @Override
    public Future<List<LeaseResult>> renew(
            UUID tenant, @Nullable Set<String> botIds, List<Lease> renewed, Duration duration) {
        bots = botIds;
        leases.addAll(renewed);
        return results(renewed, CREATED.plus(duration));
    }

    @Override
    public Future<List<LeaseResult>> settle(UUID tenant, @Nullable Set<String> botIds, List<Settlement> settled) {
        bots = botIds;
        settlements.addAll(settled);
        return results(settled.stream().map(Settlement::lease).toList(), null);
    }

    private Future<List<LeaseResult>> results(List<Lease> asked, @Nullable Instant leasedUntil) {
        Function<Lease, LeaseResult> wanted = lease;
        List<LeaseResult> results = new ArrayList<>();
        for (Lease one : asked) {
            results.add(
                    wanted == null
                            ? new LeaseResult.Done(one.id(), PartState.LEASED, false, leasedUntil)
                            : wanted.apply(one));
        }
        return Future.succeededFuture(results);
    }

    @Override
    public Future<Optional<PartView>> item(UUID tenant, PartId id, boolean withContent) {
        return item;
    }

    @Override
    public Future<Optional<List<PartView.Attempt>>> attempts(UUID tenant, PartId id) {
        return attempts;
    }

    @Override
    public Future<List<PartView>> batch(UUID tenant, String batchId) {
        return parts;
    }

    @Override
    public Future<Map<PartState, Long>> depth(UUID tenant) {
        return Future.succeededFuture(Map.of(PartState.PENDING, 2L));
    }

    @Override
    public FakeOperator operator() {
        return operator;
    }
}
