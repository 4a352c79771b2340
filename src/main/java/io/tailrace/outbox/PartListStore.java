package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * SQL that lists parts. Ids come from one sequence, so a list in id order is one in the order of enqueueing, and each
 * partition's primary key gives it without sorting.
 */
public final class PartListStore implements PartQueries {
    private static final Instant BEGINNING = Instant.parse("2000-01-01T00:00:00Z");

    // A state that is none of those in flight stands in the partitions; one in flight only in the hot table.
    private static final String PICK_ANY = """
            SELECT o.id, o.created_at FROM telegram_outbox o
             WHERE o.tenant_id = $1::uuid AND o.id < $2::bigint AND ($3::text[] IS NULL OR o.bot_id = ANY ($3::text[]))
               AND %s
             ORDER BY o.id DESC LIMIT $4::integer""";

    private static final String PICK_ENDED = """
            SELECT o.id, o.created_at FROM telegram_outbox o
             WHERE o.tenant_id = $1::uuid AND o.id < $2::bigint AND ($3::text[] IS NULL OR o.bot_id = ANY ($3::text[]))
               AND %s AND o.%s = '%s'
               AND NOT EXISTS (SELECT FROM telegram_outbox_inflight h WHERE h.id = o.id)
             ORDER BY o.id DESC LIMIT $4::integer""";

    private static final String PICK_INFLIGHT = """
            SELECT h.id, h.created_at FROM telegram_outbox_inflight h
             WHERE h.tenant_id = $1::uuid AND h.id < $2::bigint AND ($3::text[] IS NULL OR h.bot_id = ANY ($3::text[]))
               AND h.state = '%s'
             ORDER BY h.id DESC LIMIT $4::integer""";

    // OFFSET 0 keeps the planner from joining whole partitions: each picked part is one look-up in one of them.
    private static final String LIST = """
            WITH picked AS MATERIALIZED (%s)
            SELECT %s
              FROM picked
             CROSS JOIN LATERAL (SELECT v.* FROM tailrace.outbox_parts v
                                  WHERE v.id = picked.id AND v.created_at = picked.created_at OFFSET 0) p
             CROSS JOIN (SELECT $5::boolean AS content) wanted
             ORDER BY p.id DESC""";

    private static final String OLDEST_CLAIMABLE = """
            SELECT (extract(epoch FROM (SELECT tailrace_now()) - min(h.available_at)) * 1000)::bigint AS millis
              FROM telegram_outbox_inflight h
             WHERE h.tenant_id = $1::uuid AND h.turn = 'c'
            """;

    private final Database database;

    public PartListStore(Database database) {
        this.database = database;
    }

    @Override
    public Future<List<PartView>> list(UUID tenant, Selection selection, boolean withContent) {
        PartId before = selection.before();
        Tuple values = Tuple.tuple()
                .addUUID(tenant)
                .addLong(before == null ? Long.MAX_VALUE : before.id())
                .addValue(selection.botIds() == null ? null : selection.botIds().toArray(String[]::new))
                .addInteger(selection.limit())
                .addBoolean(withContent);
        return execute(LIST.formatted(pick(selection.state(), days(before)), PartStore.COLUMNS), values)
                .map(rows -> OutboxSettlements.map(rows, PartStore::view));
    }

    private static String pick(@Nullable PartState state, String days) {
        if (state == null) {
            return PICK_ANY.formatted(days);
        }
        if (state.inFlight()) {
            return PICK_INFLIGHT.formatted(state.wire());
        }
        // What went wrong has an index; of what was delivered, every page holds some.
        return PICK_ENDED.formatted(days, state == PartState.DELIVERED ? "state" : "unresolved", state.wire());
    }

    /** Ids and days ascend together but for transactions around midnight, hence a day more. */
    private static String days(@Nullable PartId before) {
        return before == null
                ? "true"
                : new TimeRange(
                                BEGINNING,
                                before.createdAt().truncatedTo(ChronoUnit.DAYS).plus(2, ChronoUnit.DAYS))
                        .condition("o.created_at");
    }

    @Override
    public Future<Optional<Duration>> oldestClaimable(UUID tenant) {
        return execute(OLDEST_CLAIMABLE, Tuple.of(tenant)).map(rows -> {
            Long millis = rows.iterator().next().getLong("millis");
            // A part enqueued after the clock was read is due, and not a negative time ago.
            return millis == null ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis)));
        });
    }

    private Future<RowSet<Row>> execute(String sql, Tuple values) {
        return database.service()
                .preparedQuery(sql)
                .execute(values)
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }
}
