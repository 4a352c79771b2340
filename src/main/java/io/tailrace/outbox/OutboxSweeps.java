package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** SQL of what happens without a caller: lapses, times to live, pauses, late evidence. Each inside the caller's transaction. */
final class OutboxSweeps {
    /** The condition is checked again on the row once it is locked: a lease that was renewed or settled is left alone. */
    private static final String LOCK_LAPSED = """
            SELECT %s FROM telegram_outbox_inflight h
             WHERE h.state = 'leased' AND h.leased_until <= (SELECT tailrace_now())
             ORDER BY h.leased_until LIMIT $1::integer FOR UPDATE SKIP LOCKED""".formatted(InflightPart.COLUMNS);

    private static final String KNOWN_ATTEMPTS = """
            SELECT a.outbox_id, a.lease_token FROM telegram_outbox_attempts a
              JOIN unnest($1::bigint[], $2::bigint[]) AS u(id, token) ON a.outbox_id = u.id AND a.lease_token = u.token
             WHERE %s""";

    private static final String LOCK_EXPIRED = """
            SELECT %s FROM telegram_outbox_inflight h
             WHERE h.turn <> 'l' AND h.expires_at IS NOT NULL AND h.expires_at <= (SELECT tailrace_now())
             ORDER BY h.expires_at LIMIT $1::integer FOR UPDATE SKIP LOCKED""".formatted(InflightPart.COLUMNS);

    private static final String PAUSE = """
            INSERT INTO telegram_outbox_paused_bots AS p (tenant_id, bot_id, until, reason)
            VALUES ($1::uuid, $2::text, $3::timestamptz, 'throttled')
            ON CONFLICT (tenant_id, bot_id, reason) DO UPDATE SET until = greatest(p.until, excluded.until)""";

    private static final String FORGET_PAUSES =
            "DELETE FROM telegram_outbox_paused_bots WHERE until <= (SELECT tailrace_now())";

    private static final String LATE = """
            UPDATE telegram_outbox o
               SET state = 'delivered', last_outcome = 'delivered', last_error_class = NULL, last_error = NULL,
                   response_kind = $3::text, receipt = $4::text::jsonb, telegram_message_ids = $5::text[],
                   confirmed_at = c.at, updated_at = c.at
              FROM (SELECT tailrace_now() AS at) c
             WHERE o.id = $1::bigint AND o.created_at = $2::timestamptz AND %s""";

    private static final String LATE_ATTEMPT = """
            UPDATE telegram_outbox_attempts a
               SET outcome = 'delivered', response_received_at = (SELECT tailrace_now()), error_class = NULL, error = NULL,
                   http_status = $4::integer
             WHERE a.outbox_id = $1::bigint AND a.lease_token = $2::bigint AND a.claimed_at = $3::timestamptz AND %s""";

    private OutboxSweeps() {}

    static Future<List<InflightPart>> lockLapsed(SqlConnection connection, int limit) {
        return connection
                .preparedQuery(LOCK_LAPSED)
                .execute(Tuple.of(limit))
                .map(rows -> Rows.map(rows, InflightPart::of));
    }

    static Future<List<InflightPart>> lockExpired(SqlConnection connection, int limit) {
        return connection
                .preparedQuery(LOCK_EXPIRED)
                .execute(Tuple.of(limit))
                .map(rows -> Rows.map(rows, InflightPart::of));
    }

    /** Of the given leased parts, the ids of those whose current attempt has its row. */
    static Future<Set<Long>> withAttempt(SqlConnection connection, List<InflightPart> parts) {
        List<Instant> claimed = parts.stream()
                .map(InflightPart::claimedAt)
                .filter(Objects::nonNull)
                .toList();
        if (claimed.isEmpty()) {
            return Future.succeededFuture(Set.of());
        }
        return connection
                .preparedQuery(
                        KNOWN_ATTEMPTS.formatted(TimeRange.around(claimed).condition("a.claimed_at")))
                .execute(Tuple.tuple()
                        .addValue(parts.stream().map(part -> part.id().id()).toArray(Long[]::new))
                        .addValue(parts.stream().map(InflightPart::token).toArray(Long[]::new)))
                .map(rows -> {
                    Set<Long> known = new HashSet<>();
                    for (Row row : rows) {
                        known.add(row.getLong("outbox_id"));
                    }
                    return known;
                });
    }

    /** Nothing of these bots is claimed until then; an operator's pause is a row of its own. */
    static Future<Void> pause(SqlConnection connection, UUID tenant, Collection<String> bots, Instant until) {
        Future<?> last = Future.succeededFuture();
        for (String bot : bots.stream().sorted().toList()) {
            last = connection.preparedQuery(PAUSE).execute(Tuple.of(tenant, bot, Rows.utc(until)));
        }
        return last.mapEmpty();
    }

    static Future<Integer> forgetPauses(SqlConnection connection) {
        return connection.preparedQuery(FORGET_PAUSES).execute().map(rows -> rows.rowCount());
    }

    /**
     * Late evidence: an ambiguous part becomes delivered, and the parts that its end had cancelled come back. While a
     * day of one of those is being removed they stay cancelled, all of them, since they may not overtake one another.
     */
    static Future<Integer> late(
            SqlConnection connection, UUID tenant, EndedPart part, Settlement.Delivered delivered, Instant now) {
        RevivalStore.Concerned cancelled = new RevivalStore.Concerned(tenant, part.batchId(), part.id(), false, now);
        return RevivalStore.lockBatch(connection, tenant, part.batchId())
                .compose(locked -> resolve(connection, part, delivered))
                .compose(resolved -> RevivalStore.lockKeys(connection, cancelled))
                .compose(locked -> RevivalStore.holdDays(connection, cancelled))
                .compose(held -> held ? RevivalStore.revive(connection, cancelled) : Future.succeededFuture(0));
    }

    private static Future<?> resolve(SqlConnection connection, EndedPart part, Settlement.Delivered delivered) {
        TimeRange day = TimeRange.around(List.of(part.id().createdAt()));
        Future<?> history = connection
                .preparedQuery(LATE.formatted(day.condition("o.created_at")))
                .execute(Tuple.of(
                        part.id().id(),
                        Rows.utc(part.id().createdAt()),
                        delivered.responseKind(),
                        delivered.receiptJson(),
                        delivered.messageIds().toArray(String[]::new)));
        Instant claimedAt = part.claimedAt();
        Future<?> attempt = claimedAt == null
                ? Future.succeededFuture()
                : connection
                        .preparedQuery(LATE_ATTEMPT.formatted(
                                TimeRange.around(List.of(claimedAt)).condition("a.claimed_at")))
                        .execute(Tuple.of(part.id().id(), part.token(), Rows.utc(claimedAt), delivered.httpStatus()));
        return Future.all(history, attempt);
    }
}
