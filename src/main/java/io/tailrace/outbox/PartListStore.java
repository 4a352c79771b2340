package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.db.Rows;
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
               AND %s%s
             ORDER BY o.id DESC LIMIT $4::integer""";

    private static final String PICK_ENDED = """
            SELECT o.id, o.created_at FROM telegram_outbox o
             WHERE o.tenant_id = $1::uuid AND o.id < $2::bigint AND ($3::text[] IS NULL OR o.bot_id = ANY ($3::text[]))
               AND %s%s AND o.%s = '%s'
               AND NOT EXISTS (SELECT FROM telegram_outbox_inflight h WHERE h.id = o.id)
             ORDER BY o.id DESC LIMIT $4::integer""";

    private static final String PICK_INFLIGHT = """
            SELECT h.id, h.created_at FROM telegram_outbox_inflight h
             WHERE h.tenant_id = $1::uuid AND h.id < $2::bigint AND ($3::text[] IS NULL OR h.bot_id = ANY ($3::text[]))
               AND h.state = '%s'%s
             ORDER BY h.id DESC LIMIT $4::integer""";

    /*
     * Added to a selection's text only when they are asked for: as "$6 IS NULL OR …" they would rule out every index in a
     * plan that is kept.
     */
    private static final String OF_KEY = " AND o.ordering_key = $6::text";
    private static final String OF_BATCH = " AND o.batch_id = $7::text";
    private static final String INFLIGHT_OF_KEY = """
             AND h.key_id IN (SELECT k.key_id FROM telegram_outbox_keys k
                               WHERE k.tenant_id = $1::uuid AND k.ordering_key = $6::text)""";
    private static final String INFLIGHT_OF_BATCH = """
             AND h.id IN (SELECT o.id FROM telegram_outbox o WHERE o.tenant_id = $1::uuid AND o.batch_id = $7::text)""";

    // OFFSET 0 keeps the planner from joining whole partitions: each picked part is one look-up in one of them.
    private static final String LIST = """
            WITH picked AS MATERIALIZED (%s)
            SELECT %s
              FROM picked
             CROSS JOIN LATERAL (SELECT v.* FROM tailrace.outbox_parts v
                                  WHERE v.id = picked.id AND v.created_at = picked.created_at OFFSET 0) p
             CROSS JOIN (SELECT $5::boolean AS content, $6::text AS ordering_key, $7::text AS batch_id) wanted
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
                .addBoolean(withContent)
                .addString(selection.orderingKey())
                .addString(selection.batchId());
        return execute(LIST.formatted(pick(selection), PartStore.COLUMNS), values)
                .map(rows -> Rows.map(rows, PartStore::view));
    }

    private static String pick(Selection selection) {
        PartState state = selection.state();
        boolean ofKey = selection.orderingKey() != null;
        boolean ofBatch = selection.batchId() != null;
        if (state != null && state.inFlight()) {
            return PICK_INFLIGHT.formatted(
                    state.wire(), (ofKey ? INFLIGHT_OF_KEY : "") + (ofBatch ? INFLIGHT_OF_BATCH : ""));
        }
        String filters = (ofKey ? OF_KEY : "") + (ofBatch ? OF_BATCH : "");
        String days = days(selection.before());
        if (state == null) {
            return PICK_ANY.formatted(days, filters);
        }
        // What went wrong has an index; of what was delivered, every page holds some.
        return PICK_ENDED.formatted(days, filters, state == PartState.DELIVERED ? "state" : "unresolved", state.wire());
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
