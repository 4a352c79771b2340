package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code telegram_outbox_redrives}, and what an order matches. Each inside the caller's transaction. */
final class RedriveStore {
    private static final Instant END = Instant.parse("2200-01-01T00:00:00Z");

    /** Parts in flight stand in the hot table, those that went wrong in the days, by an index of their own. */
    private static final String MATCHING = """
            %s o
             WHERE o.tenant_id = $1::uuid AND o.%s = $2::text AND ($3::text[] IS NULL OR o.bot_id = ANY ($3::text[]))
               AND ($4::text IS NULL OR o.bot_id = $4::text) AND ($5::text IS NULL OR o.last_error_class = $5::text)
               AND ($6::timestamptz IS NULL OR o.created_at >= $6::timestamptz) AND %s""";

    private static final String NOT_REVIVED =
            "NOT EXISTS (SELECT FROM telegram_outbox_inflight h WHERE h.id = o.id) AND ";

    private static final String COUNT = """
            SELECT count(*) AS matched, coalesce(max(o.id), 0) AS up_to,
                   count(*) FILTER (WHERE $2::text = 'ambiguous' AND o.delivery_policy IN ('create', 'financial')) AS risky
              FROM %s""";

    private static final String NEXT = """
            SELECT o.id, o.created_at FROM %s AND o.id > $7::bigint AND o.id <= $8::bigint ORDER BY o.id LIMIT 1""";

    private static final String INSERT = """
            INSERT INTO telegram_outbox_redrives (tenant_id, state, bot_ids, bot_id, error_class, since, action,
                accept_duplicate_risk, rate_per_second, matched, up_to_id, next_at, created_at)
            SELECT $1::uuid, $2::text, $3::text[], $4::text, $5::text, $6::timestamptz, $7::text, $8::boolean, $9::integer,
                   $10::bigint, $11::bigint, c.at, c.at
              FROM (SELECT tailrace_now() AS at) c
            RETURNING redrive_id""";

    private static final String COLUMNS = """
            r.redrive_id, r.tenant_id, r.bot_ids, r.action, r.state, r.bot_id, r.error_class, r.since, r.accept_duplicate_risk,
            r.rate_per_second, r.matched, r.last_id, r.up_to_id, r.done, r.skipped, r.skipped_risk, r.created_at, r.finished_at""";

    private static final String FIND = """
            SELECT %s FROM telegram_outbox_redrives r
             WHERE r.redrive_id = $1::uuid AND r.tenant_id = $2::uuid
               AND ($3::text[] IS NULL OR r.bot_ids <@ $3::text[])""".formatted(COLUMNS);

    /** One that another instance has in hand is skipped: an order has one runner. */
    private static final String LOCK_DUE = """
            SELECT %s FROM telegram_outbox_redrives r
             WHERE r.finished_at IS NULL AND r.next_at <= (SELECT tailrace_now())
             ORDER BY r.next_at LIMIT 1 FOR UPDATE SKIP LOCKED""".formatted(COLUMNS);

    /** What was missed while nobody worked is made up for by a second's worth at most. */
    private static final String ADVANCE = """
            UPDATE telegram_outbox_redrives r
               SET last_id = $2::bigint, done = r.done + $3::integer, skipped = r.skipped + $4::integer,
                   skipped_risk = r.skipped_risk + $5::integer,
                   next_at = greatest(r.next_at, (SELECT tailrace_now()) - interval '1 second')
                           + interval '1 second' / r.rate_per_second
             WHERE r.redrive_id = $1::uuid""";

    private static final String POSTPONE = """
            UPDATE telegram_outbox_redrives SET next_at = tailrace_now() + $2::bigint * interval '1 millisecond'
             WHERE redrive_id = $1::uuid""";

    private static final String FINISH =
            "UPDATE telegram_outbox_redrives SET finished_at = tailrace_now() WHERE redrive_id = $1::uuid";

    private static final String FORGET = """
            DELETE FROM telegram_outbox_redrives
             WHERE finished_at < (SELECT tailrace_now()) - $1::bigint * interval '1 millisecond'""";

    /** An order and where it stands. */
    record Open(UUID tenant, @Nullable Set<String> botIds, long lastId, long upToId, Redrive.Progress progress) {}

    private RedriveStore() {}

    static Future<Redrive.Ordered> order(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, Redrive order, boolean dryRun) {
        return connection
                .preparedQuery(COUNT.formatted(matching(order)))
                .execute(filter(tenant, botIds, order))
                .compose(rows -> {
                    Row row = rows.iterator().next();
                    long matched = row.getLong("matched");
                    long risky = order.acceptDuplicateRisk() ? 0 : row.getLong("risky");
                    if (dryRun || matched == 0) {
                        return Future.succeededFuture(new Redrive.Ordered(matched, risky, null));
                    }
                    return connection
                            .preparedQuery(INSERT)
                            .execute(filter(tenant, botIds, order)
                                    .addString(order.action().wire())
                                    .addBoolean(order.acceptDuplicateRisk())
                                    .addInteger(order.ratePerSecond())
                                    .addLong(matched)
                                    .addLong(row.getLong("up_to")))
                            .map(inserted -> new Redrive.Ordered(
                                    matched, risky, inserted.iterator().next().getUUID("redrive_id")));
                });
    }

    static Future<Optional<Redrive.Progress>> find(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, UUID id) {
        return connection
                .preparedQuery(FIND)
                .execute(Tuple.of(id, tenant, OperatorStore.bots(botIds)))
                .map(rows -> Rows.map(rows, RedriveStore::open).stream()
                        .map(Open::progress)
                        .findFirst());
    }

    static Future<Optional<Open>> lockDue(SqlConnection connection) {
        return connection.preparedQuery(LOCK_DUE).execute().map(rows -> Rows.map(rows, RedriveStore::open).stream()
                .findFirst());
    }

    static Future<Optional<PartId>> next(SqlConnection connection, Open open) {
        return connection
                .preparedQuery(NEXT.formatted(matching(open.progress().order())))
                .execute(filter(open.tenant(), open.botIds(), open.progress().order())
                        .addLong(open.lastId())
                        .addLong(open.upToId()))
                .map(rows ->
                        Rows.map(rows, row -> new PartId(row.getLong("id"), Rows.instant(row, "created_at"))).stream()
                                .findFirst());
    }

    static Future<Void> advance(SqlConnection connection, Open open, PartId part, OperatorResult result) {
        boolean done = result instanceof OperatorResult.Done;
        boolean risk = result instanceof OperatorResult.Refused refused
                && refused.code().equals("duplicate_risk");
        return connection
                .preparedQuery(ADVANCE)
                .execute(Tuple.of(open.progress().id(), part.id(), done ? 1 : 0, done ? 0 : 1, risk ? 1 : 0))
                .mapEmpty();
    }

    static Future<Void> finish(SqlConnection connection, Open open) {
        return connection
                .preparedQuery(FINISH)
                .execute(Tuple.of(open.progress().id()))
                .mapEmpty();
    }

    /** Its turn comes later: another order's comes first. */
    static Future<Void> postpone(SqlConnection connection, UUID id, Duration wait) {
        return connection
                .preparedQuery(POSTPONE)
                .execute(Tuple.of(id, wait.toMillis()))
                .mapEmpty();
    }

    /** Orders that were finished so long ago. */
    static Future<Integer> forget(SqlConnection connection, Duration age) {
        return connection
                .preparedQuery(FORGET)
                .execute(Tuple.of(age.toMillis()))
                .map(rows -> rows.rowCount());
    }

    private static String matching(Redrive order) {
        Instant since = order.since();
        String days = since == null
                ? "true"
                : new TimeRange(since.truncatedTo(ChronoUnit.DAYS), END).condition("o.created_at");
        return order.state().inFlight()
                ? MATCHING.formatted("telegram_outbox_inflight", "state", days)
                : MATCHING.formatted("telegram_outbox", "unresolved", NOT_REVIVED + days);
    }

    private static Tuple filter(UUID tenant, @Nullable Set<String> botIds, Redrive order) {
        return Tuple.tuple()
                .addUUID(tenant)
                .addString(order.state().wire())
                .addValue(OperatorStore.bots(botIds))
                .addString(order.botId())
                .addString(order.errorClass())
                .addValue(Rows.utc(order.since()));
    }

    private static Open open(Row row) {
        String[] bots = row.getArrayOfStrings("bot_ids");
        Redrive order = new Redrive(
                row.getString("action").equals("cancel") ? Redrive.Action.CANCEL : Redrive.Action.RETRY,
                PartState.of(row.getString("state")),
                row.getString("bot_id"),
                row.getString("error_class"),
                Rows.instantOrNull(row, "since"),
                row.getBoolean("accept_duplicate_risk"),
                row.getInteger("rate_per_second"));
        return new Open(
                row.getUUID("tenant_id"),
                bots == null ? null : Set.of(bots),
                row.getLong("last_id"),
                row.getLong("up_to_id"),
                new Redrive.Progress(
                        row.getUUID("redrive_id"),
                        order,
                        row.getLong("matched"),
                        row.getLong("done"),
                        row.getLong("skipped"),
                        row.getLong("skipped_risk"),
                        Rows.instant(row, "created_at"),
                        Rows.instantOrNull(row, "finished_at")));
    }
}
