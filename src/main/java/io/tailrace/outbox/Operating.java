package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An operator's side of the outbox: lock → decide → apply, one transaction a part.
 *
 * <p>Locks in the order of an enqueue: batch, keys (in key order), then the part; between them the days, so that none of
 * them is removed while something of it comes back.
 */
final class Operating implements OutboxOperator {
    private final Database database;
    private final OutboxMetrics metrics;
    private final Consumer<UUID> madeWork;

    Operating(Database database, OutboxMetrics metrics, Consumer<UUID> madeWork) {
        this.database = database;
        this.metrics = metrics;
        this.madeWork = madeWork;
    }

    /** What a word came to inside a transaction, and what ended by it: counted once that is committed. */
    record Acted(OperatorResult result, List<Verdict.End> ends) {
        static Acted of(OperatorResult result) {
            return new Acted(result, List.of());
        }
    }

    @Override
    public Future<OperatorResult> retry(
            UUID tenant, @Nullable Set<String> botIds, PartId id, boolean acceptDuplicateRisk) {
        return database.transaction(connection -> retryIn(connection, tenant, botIds, id, acceptDuplicateRisk))
                .map(acted -> committed(tenant, acted));
    }

    @Override
    public Future<OperatorResult> cancel(UUID tenant, @Nullable Set<String> botIds, PartId id) {
        return database.transaction(connection -> cancelIn(connection, tenant, botIds, id))
                .map(acted -> committed(tenant, acted));
    }

    OperatorResult committed(UUID tenant, Acted acted) {
        acted.ends().forEach(end -> metrics.ended(end.state()));
        if (acted.result() instanceof OperatorResult.Done done && done.changed()) {
            madeWork.accept(tenant);
        }
        return acted.result();
    }

    Future<Acted> retryIn(
            SqlConnection connection,
            UUID tenant,
            @Nullable Set<String> botIds,
            PartId id,
            boolean acceptDuplicateRisk) {
        return OperatorStore.batchOf(connection, tenant, botIds, id).compose(batch -> {
            if (batch.isEmpty()) {
                return Future.succeededFuture(Acted.of(OperatorResult.Refused.NOT_FOUND));
            }
            String batchId = batch.get();
            return RevivalStore.lockBatch(connection, tenant, batchId)
                    .compose(locked -> OutboxSettlements.now(connection))
                    .compose(now -> {
                        RevivalStore.Concerned parts = new RevivalStore.Concerned(tenant, batchId, id, true, now);
                        return RevivalStore.lockKeys(connection, parts)
                                .compose(locked -> RevivalStore.holdDays(connection, parts))
                                .compose(held -> retryLocked(connection, parts, held, acceptDuplicateRisk));
                    });
        });
    }

    private static Future<Acted> retryLocked(
            SqlConnection connection, RevivalStore.Concerned parts, boolean held, boolean acceptDuplicateRisk) {
        UUID tenant = parts.tenant();
        return OutboxSettlements.lock(connection, tenant, null, List.of(parts.by()))
                .compose(locked -> {
                    if (!locked.isEmpty()) {
                        return makeDue(connection, locked.get(0), parts.now());
                    }
                    return OperatorStore.lockStopped(connection, tenant, parts.by())
                            .compose(stopped -> {
                                if (stopped.isEmpty()) {
                                    return Future.succeededFuture(Acted.of(OperatorResult.Refused.NOT_FOUND));
                                }
                                StoppedPart part = stopped.get();
                                return OperatorStore.brokenBefore(connection, tenant, parts.batchId(), part)
                                        .compose(broken -> {
                                            OperatorResult.Refused refused = OperatorRules.revive(
                                                    part, broken.orElse(null), acceptDuplicateRisk, parts.now());
                                            if (refused == null && !held) {
                                                refused = OperatorResult.Refused.DAY_CLOSED;
                                            }
                                            return refused != null
                                                    ? Future.succeededFuture(Acted.of(refused))
                                                    : RevivalStore.revive(connection, parts)
                                                            .map(Acted.of(
                                                                    new OperatorResult.Done(PartState.PENDING, true)));
                                        });
                            });
                });
    }

    private static Future<Acted> makeDue(SqlConnection connection, InflightPart part, Instant now) {
        OperatorResult.Refused refused = OperatorRules.retry(part, now);
        return refused != null
                ? Future.succeededFuture(Acted.of(refused))
                : OperatorStore.makeDue(connection, part)
                        .map(changed -> Acted.of(new OperatorResult.Done(part.state(), changed)));
    }

    Future<Acted> cancelIn(SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, PartId id) {
        return OperatorStore.batchOf(connection, tenant, botIds, id).compose(batch -> {
            if (batch.isEmpty()) {
                return Future.succeededFuture(Acted.of(OperatorResult.Refused.NOT_FOUND));
            }
            return OutboxSettlements.now(connection)
                    .compose(now -> RevivalStore.lockKeys(
                            connection, new RevivalStore.Concerned(tenant, batch.get(), id, true, now)))
                    .compose(keyed -> OutboxSettlements.lock(connection, tenant, null, List.of(id)))
                    .compose(locked -> locked.isEmpty()
                            ? OperatorStore.lockStopped(connection, tenant, id)
                                    .map(stopped -> Acted.of(
                                            stopped.isEmpty()
                                                    ? OperatorResult.Refused.NOT_FOUND
                                                    : OperatorRules.cancelEnded(
                                                            stopped.get().state())))
                            : end(connection, locked.get(0)));
        });
    }

    private static Future<Acted> end(SqlConnection connection, InflightPart part) {
        OperatorResult.Refused refused = OperatorRules.cancel(part);
        if (refused != null) {
            return Future.succeededFuture(Acted.of(refused));
        }
        List<Verdict.End> ends = new ArrayList<>(List.of(OperatorRules.cancelled(part)));
        return Settling.endWithSuccessors(connection, ends)
                .map(done -> new Acted(new OperatorResult.Done(PartState.CANCELLED, true), ends));
    }

    @Override
    public Future<Redrive.Ordered> redrive(UUID tenant, @Nullable Set<String> botIds, Redrive order, boolean dryRun) {
        // Of the other pool: what it counts may be many, and no sender should wait for a connection meanwhile.
        return database.transaction(
                database.maintenance(), connection -> RedriveStore.order(connection, tenant, botIds, order, dryRun));
    }

    @Override
    public Future<Optional<Redrive.Progress>> redrive(UUID tenant, @Nullable Set<String> botIds, UUID id) {
        return database.statement(connection -> RedriveStore.find(connection, tenant, botIds, id));
    }

    @Override
    public Future<List<BlockedKey>> blocked(UUID tenant, @Nullable Set<String> botIds, long after, int limit) {
        return database.statement(connection -> BlockedKeysStore.blocked(connection, tenant, botIds, after, limit));
    }

    @Override
    public Future<Void> pause(UUID tenant, String botId, @Nullable Instant until) {
        return database.statement(connection -> OperatorStore.pause(connection, tenant, botId, until));
    }

    @Override
    public Future<Void> resume(UUID tenant, String botId) {
        return database.statement(connection -> OperatorStore.resume(connection, tenant, botId))
                .onSuccess(done -> madeWork.accept(tenant));
    }

    @Override
    public Future<List<Pause>> pauses(UUID tenant, @Nullable Set<String> botIds) {
        return database.statement(connection -> OperatorStore.pauses(connection, tenant, botIds));
    }
}
