package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** SQL of an operator's word about single parts and bots, inside the caller's transaction. */
final class OperatorStore {
    private static final int MOST_PAUSES = 1_000;

    /** What never changes, read without a lock to know what to lock. */
    private static final String BATCH_OF = """
            SELECT o.batch_id FROM telegram_outbox o
             WHERE o.id = $1::bigint AND o.created_at = $2::timestamptz AND o.tenant_id = $3::uuid
               AND ($4::text[] IS NULL OR o.bot_id = ANY ($4::text[])) AND %s""";

    private static final String LOCK_STOPPED = """
            SELECT %s FROM telegram_outbox o
             WHERE o.id = $1::bigint AND o.created_at = $2::timestamptz AND o.tenant_id = $3::uuid
               AND o.state NOT IN ('pending', 'leased', 'retry_wait') AND %%s
               FOR UPDATE""".formatted(StoppedPart.COLUMNS);

    /** Ids ascend with part_index, and a batch id that was used again past the horizon begins with a part 0 again. */
    private static final String BROKEN_BEFORE = """
            SELECT %s FROM telegram_outbox o
             WHERE o.tenant_id = $1::uuid AND o.batch_id = $2::text AND o.id < $3::bigint AND o.part_index < $4::integer
               AND o.state IN ('ambiguous', 'dead_letter', 'expired', 'cancelled') AND %%1$s
               AND o.id >= (SELECT coalesce(max(f.id), 0) FROM telegram_outbox f
                             WHERE f.tenant_id = $1::uuid AND f.batch_id = $2::text AND f.part_index = 0
                               AND f.id < $3::bigint AND %%2$s)
             ORDER BY o.part_index LIMIT 1""".formatted(StoppedPart.COLUMNS);

    private static final String MAKE_DUE = """
            UPDATE telegram_outbox_inflight h
               SET available_at = c.at, turn = CASE WHEN h.turn IN ('s', 'w') THEN 'c' ELSE h.turn END, updated_at = c.at
              FROM (SELECT tailrace_now() AS at) c
             WHERE h.id = $1::bigint AND h.available_at > c.at""";

    private static final String PAUSE = """
            INSERT INTO telegram_outbox_paused_bots (tenant_id, bot_id, until, reason)
            VALUES ($1::uuid, $2::text, $3::timestamptz, 'operator')
            ON CONFLICT (tenant_id, bot_id, reason) DO UPDATE SET until = excluded.until""";

    private static final String RESUME = """
            DELETE FROM telegram_outbox_paused_bots
             WHERE tenant_id = $1::uuid AND bot_id = $2::text AND reason = 'operator'""";

    private static final String PAUSES = """
            SELECT p.bot_id, p.until, p.reason FROM telegram_outbox_paused_bots p
             WHERE p.tenant_id = $1::uuid AND ($2::text[] IS NULL OR p.bot_id = ANY ($2::text[]))
               AND (p.until IS NULL OR p.until > (SELECT tailrace_now()))
             ORDER BY p.bot_id, p.reason LIMIT $3::integer""";

    private OperatorStore() {}

    /** The batch of a part that the caller may touch; empty when there is no such part. */
    static Future<Optional<String>> batchOf(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, PartId id) {
        return connection
                .preparedQuery(BATCH_OF.formatted(day(id)))
                .execute(Tuple.of(id.id(), Rows.utc(id.createdAt()), tenant, bots(botIds)))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(rows.iterator().next().getString("batch_id")));
    }

    static Future<Optional<StoppedPart>> lockStopped(SqlConnection connection, UUID tenant, PartId id) {
        return connection
                .preparedQuery(LOCK_STOPPED.formatted(day(id)))
                .execute(Tuple.of(id.id(), Rows.utc(id.createdAt()), tenant))
                .map(rows -> Rows.map(rows, StoppedPart::of).stream().findFirst());
    }

    /** The first lower part of its batch that ended other than delivered. */
    static Future<Optional<StoppedPart>> brokenBefore(
            SqlConnection connection, UUID tenant, String batchId, StoppedPart part) {
        Instant day = part.id().createdAt();
        TimeRange days =
                TimeRange.around(List.of(day.minus(OutboxSettings.LONGEST_HORIZON_DAYS, ChronoUnit.DAYS), day));
        return connection
                .preparedQuery(BROKEN_BEFORE.formatted(days.condition("o.created_at"), days.condition("f.created_at")))
                .execute(Tuple.of(tenant, batchId, part.id().id(), part.partIndex()))
                .map(rows -> Rows.map(rows, StoppedPart::of).stream().findFirst());
    }

    /** A waiting part is due now; answers whether it was not before. */
    static Future<Boolean> makeDue(SqlConnection connection, InflightPart part) {
        return connection
                .preparedQuery(MAKE_DUE)
                .execute(Tuple.of(part.id().id()))
                .map(rows -> rows.rowCount() > 0);
    }

    static Future<Void> pause(SqlConnection connection, UUID tenant, String botId, @Nullable Instant until) {
        return connection
                .preparedQuery(PAUSE)
                .execute(Tuple.of(tenant, botId, Rows.utc(until)))
                .mapEmpty();
    }

    static Future<Void> resume(SqlConnection connection, UUID tenant, String botId) {
        return connection.preparedQuery(RESUME).execute(Tuple.of(tenant, botId)).mapEmpty();
    }

    static Future<List<OutboxOperator.Pause>> pauses(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds) {
        return connection
                .preparedQuery(PAUSES)
                .execute(Tuple.of(tenant, bots(botIds), MOST_PAUSES))
                .map(rows -> Rows.map(
                        rows,
                        row -> new OutboxOperator.Pause(
                                row.getString("bot_id"), Rows.instantOrNull(row, "until"), row.getString("reason"))));
    }

    static String @Nullable [] bots(@Nullable Set<String> botIds) {
        return botIds == null ? null : botIds.toArray(String[]::new);
    }

    private static String day(PartId id) {
        return TimeRange.around(List.of(id.createdAt())).condition("o.created_at");
    }
}
