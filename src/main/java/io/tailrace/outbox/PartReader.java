package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Looking at parts: what an edge shows. Reads only, each statement a snapshot of its own. */
final class PartReader {
    private final Database database;
    private final int horizonDays;

    PartReader(Database database, int horizonDays) {
        this.database = database;
        this.horizonDays = horizonDays;
    }

    Future<Optional<PartView>> item(UUID tenant, PartId id, boolean withContent) {
        TimeRange day = TimeRange.around(List.of(id.createdAt()));
        return query(
                        PartStore.ITEM.formatted(day.condition("p.created_at")),
                        Tuple.of(id.id(), Rows.utc(id.createdAt()), tenant, withContent))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(PartStore.view(rows.iterator().next())));
    }

    Future<Optional<List<PartView.Attempt>>> attempts(UUID tenant, PartId id) {
        return item(tenant, id, false).compose(found -> {
            if (found.isEmpty()) {
                return Future.succeededFuture(Optional.<List<PartView.Attempt>>empty());
            }
            PartView part = found.get();
            // A claim of this part can only lie between its enqueue and its last change.
            Instant last = part.claimedAt() == null ? part.updatedAt() : part.claimedAt();
            TimeRange days =
                    TimeRange.around(List.of(id.createdAt(), last.isBefore(id.createdAt()) ? id.createdAt() : last));
            return query(PartStore.ATTEMPTS.formatted(days.condition("a.claimed_at")), Tuple.of(id.id()))
                    .map(rows -> Optional.of(Rows.map(rows, PartStore::attempt)));
        });
    }

    Future<List<PartView>> batch(UUID tenant, String batchId) {
        return database.now().compose(now -> {
            TimeRange horizon =
                    TimeRange.around(List.of(now.minus(horizonDays, ChronoUnit.DAYS), now.plus(1, ChronoUnit.DAYS)));
            return query(PartStore.BATCH.formatted(horizon.condition("p.created_at")), Tuple.of(tenant, batchId, false))
                    .map(rows -> Rows.map(rows, PartStore::view));
        });
    }

    Future<Map<PartState, Long>> depth(UUID tenant) {
        return query(PartStore.DEPTH, Tuple.of(tenant)).map(rows -> {
            Map<PartState, Long> depths = new EnumMap<>(PartState.class);
            PartState.IN_FLIGHT.forEach(state -> depths.put(state, 0L));
            for (Row row : rows) {
                depths.put(PartState.of(row.getString("state")), row.getLong("parts"));
            }
            return depths;
        });
    }

    private Future<RowSet<Row>> query(String sql, Tuple parameters) {
        return database.service()
                .preparedQuery(sql)
                .execute(parameters)
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }
}
