package io.tailrace.http;

import io.tailrace.outbox.BlockedKey;
import io.tailrace.outbox.OperatorResult;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.Redrive;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Remembers what an operator wanted and answers as a test says. */
final class FakeOperator implements OutboxOperator {
    static final UUID REDRIVE = UUID.fromString("00000000-0000-0000-0000-00000000000d");

    volatile OperatorResult result = new OperatorResult.Done(PartState.PENDING, true);
    volatile boolean accepted;
    volatile @Nullable Set<String> bots;
    final Map<String, Pause> pauses = new ConcurrentHashMap<>();

    @Override
    public Future<OperatorResult> retry(
            UUID tenant, @Nullable Set<String> botIds, PartId id, boolean acceptDuplicateRisk) {
        accepted = acceptDuplicateRisk;
        bots = botIds;
        return Future.succeededFuture(result);
    }

    @Override
    public Future<OperatorResult> cancel(UUID tenant, @Nullable Set<String> botIds, PartId id) {
        bots = botIds;
        return Future.succeededFuture(result);
    }

    volatile @Nullable Redrive ordered;
    volatile boolean dry;
    volatile List<BlockedKey> blocked = List.of();

    @Override
    public Future<Redrive.Ordered> redrive(UUID tenant, @Nullable Set<String> botIds, Redrive order, boolean dryRun) {
        ordered = order;
        dry = dryRun;
        return Future.succeededFuture(new Redrive.Ordered(120, 2, dryRun ? null : REDRIVE));
    }

    @Override
    public Future<Optional<Redrive.Progress>> redrive(UUID tenant, @Nullable Set<String> botIds, UUID id) {
        Redrive order = ordered;
        return Future.succeededFuture(
                order == null || !id.equals(REDRIVE)
                        ? Optional.empty()
                        : Optional.of(new Redrive.Progress(id, order, 120, 7, 2, 1, FakeOutbox.CREATED, null)));
    }

    @Override
    public Future<List<BlockedKey>> blocked(UUID tenant, @Nullable Set<String> botIds, long after, int limit) {
        return Future.succeededFuture(blocked.stream()
                .filter(key -> key.id().id() > after)
                .limit(limit)
                .toList());
    }

    @Override
    public Future<Void> pause(UUID tenant, String botId, @Nullable Instant until) {
        pauses.put(botId, new Pause(botId, until, OPERATOR));
        return Future.succeededFuture();
    }

    @Override
    public Future<Void> resume(UUID tenant, String botId) {
        pauses.remove(botId);
        return Future.succeededFuture();
    }

    @Override
    public Future<List<Pause>> pauses(UUID tenant, @Nullable Set<String> botIds) {
        return Future.succeededFuture(new ArrayList<>(pauses.values()));
    }
}
