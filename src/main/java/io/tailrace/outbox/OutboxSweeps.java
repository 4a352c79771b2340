package io.tailrace.outbox;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** SQL of what happens without a caller: lapses, times to live, pauses, revivals. Each inside the caller's transaction. */
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
            ON CONFLICT (tenant_id, bot_id) DO UPDATE SET until = greatest(p.until, excluded.until)
             WHERE p.until IS NOT NULL""";

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

    /** A part that is just being added to the batch would be stored as cancelled, and nobody would bring it back. */
    private static final String LOCK_BATCH = "SELECT tailrace.lock_batches(true, ARRAY[$1::uuid], ARRAY[$2::text])";

    private static final String LOCK_KEYS_OF_CANCELLED = """
            SELECT k.key_id FROM telegram_outbox_keys k
             WHERE (k.tenant_id, k.bot_id, k.ordering_key) IN (
                    SELECT o.tenant_id, o.bot_id, o.ordering_key FROM telegram_outbox o
                     WHERE o.tenant_id = $1::uuid AND o.batch_id = $2::text AND o.cancelled_by = $3::bigint
                       AND o.state = 'cancelled' AND %s)
             ORDER BY k.key_id FOR NO KEY UPDATE""";

    /**
     * A part behind another one that ended badly by itself stays cancelled, now because of that one: one that was added
     * to the batch when both had ended already carries the name of the first.
     */
    private static final String HAND_OVER = """
            UPDATE telegram_outbox o
               SET cancelled_by = coalesce(b.cancelled_by, b.id), last_error_class = 'batch_predecessor_' || b.state
              FROM (SELECT * FROM telegram_outbox o
                     WHERE o.tenant_id = $1::uuid AND o.batch_id = $2::text AND %1$s
                       AND o.state IN ('ambiguous', 'dead_letter', 'expired', 'cancelled')
                       AND o.cancelled_by IS DISTINCT FROM $3::bigint
                     ORDER BY o.part_index LIMIT 1) b
             WHERE o.tenant_id = $1::uuid AND o.batch_id = $2::text AND %1$s
               AND o.cancelled_by = $3::bigint AND o.state = 'cancelled' AND o.part_index > b.part_index""";

    /** Candidates all of them: a hint that the claim checks. */
    private static final String REVIVE = """
            WITH clock AS MATERIALIZED (SELECT tailrace_now() AS at),
            revived AS (
                UPDATE telegram_outbox o
                   SET state = 'pending', last_outcome = NULL, last_error_class = NULL, last_error = NULL, cancelled_by = NULL,
                       updated_at = c.at
                  FROM clock c
                 WHERE o.tenant_id = $1::uuid AND o.batch_id = $2::text AND o.cancelled_by = $3::bigint
                   AND o.state = 'cancelled' AND %1$s
                RETURNING o.*
            )
            INSERT INTO telegram_outbox_inflight (id, created_at, tenant_id, key_id, bot_id, batch_no, part_index, priority,
                delivery_policy, turn, available_at, expires_at, attempt_count, throttle_count, rescue_count, lease_token,
                retry_jitter_ms, updated_at)
            SELECT r.id, r.created_at, r.tenant_id, k.key_id, r.bot_id, f.id, r.part_index, r.priority, r.delivery_policy,
                   CASE WHEN r.available_at > c.at THEN 's' ELSE 'c' END::"char", r.available_at, r.expires_at,
                   r.attempt_count, r.throttle_count, r.rescue_count, r.lease_token,
                   ('x' || substr(r.operation_id, 9, 8))::bit(32)::bigint %% 250, c.at
              FROM revived r
              JOIN telegram_outbox_keys k
                ON k.tenant_id = r.tenant_id AND k.bot_id = r.bot_id AND k.ordering_key = r.ordering_key
              JOIN LATERAL (SELECT o.id FROM telegram_outbox o
                             WHERE o.tenant_id = r.tenant_id AND o.batch_id = r.batch_id AND o.part_index = 0
                               AND o.created_at <= r.created_at
                             ORDER BY o.id LIMIT 1) f ON true
             CROSS JOIN clock c""";

    private OutboxSweeps() {}

    static Future<List<InflightPart>> lockLapsed(SqlConnection connection, int limit) {
        return connection
                .preparedQuery(LOCK_LAPSED)
                .execute(Tuple.of(limit))
                .map(rows -> OutboxSettlements.map(rows, InflightPart::of));
    }

    static Future<List<InflightPart>> lockExpired(SqlConnection connection, int limit) {
        return connection
                .preparedQuery(LOCK_EXPIRED)
                .execute(Tuple.of(limit))
                .map(rows -> OutboxSettlements.map(rows, InflightPart::of));
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

    /** Nothing of these bots is claimed until then; a pause without an end, an operator's, is left as it is. */
    static Future<Void> pause(SqlConnection connection, UUID tenant, Collection<String> bots, Instant until) {
        Future<?> last = Future.succeededFuture();
        for (String bot : bots.stream().sorted().toList()) {
            last = connection.preparedQuery(PAUSE).execute(Tuple.of(tenant, bot, OutboxSettlements.utc(until)));
        }
        return last.mapEmpty();
    }

    static Future<Integer> forgetPauses(SqlConnection connection) {
        return connection.preparedQuery(FORGET_PAUSES).execute().map(rows -> rows.rowCount());
    }

    /** Late evidence: an ambiguous part becomes delivered, and the parts that its end had cancelled come back. */
    static Future<Integer> late(
            SqlConnection connection, UUID tenant, EndedPart part, Settlement.Delivered delivered, Instant now) {
        return connection
                .preparedQuery(LOCK_BATCH)
                .execute(Tuple.of(tenant, part.batchId()))
                .compose(locked -> resolve(connection, part, delivered))
                .compose(resolved -> revive(connection, tenant, part, now));
    }

    private static Future<?> resolve(SqlConnection connection, EndedPart part, Settlement.Delivered delivered) {
        TimeRange day = TimeRange.around(List.of(part.id().createdAt()));
        Future<?> history = connection
                .preparedQuery(LATE.formatted(day.condition("o.created_at")))
                .execute(Tuple.of(
                        part.id().id(),
                        OutboxSettlements.utc(part.id().createdAt()),
                        delivered.responseKind(),
                        delivered.receiptJson(),
                        delivered.messageIds().toArray(String[]::new)));
        Instant claimedAt = part.claimedAt();
        Future<?> attempt = claimedAt == null
                ? Future.succeededFuture()
                : connection
                        .preparedQuery(LATE_ATTEMPT.formatted(
                                TimeRange.around(List.of(claimedAt)).condition("a.claimed_at")))
                        .execute(Tuple.of(
                                part.id().id(),
                                part.token(),
                                OutboxSettlements.utc(claimedAt),
                                delivered.httpStatus()));
        return Future.all(history, attempt);
    }

    private static Future<Integer> revive(SqlConnection connection, UUID tenant, EndedPart by, Instant now) {
        // A replay may have added parts to the batch on any later day.
        String days = TimeRange.around(List.of(by.id().createdAt(), now.plus(1, ChronoUnit.DAYS)))
                .condition("o.created_at");
        Tuple which = Tuple.of(tenant, by.batchId(), by.id().id());
        return connection
                .preparedQuery(LOCK_KEYS_OF_CANCELLED.formatted(days))
                .execute(which)
                .compose(locked ->
                        connection.preparedQuery(HAND_OVER.formatted(days)).execute(which))
                .compose(
                        left -> connection.preparedQuery(REVIVE.formatted(days)).execute(which))
                .map(rows -> rows.rowCount());
    }
}
