package io.tailrace.outbox;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/**
 * SQL that brings parts back: one that an operator retries, and those of its batch that the end of a part had cancelled.
 * Each inside the caller's transaction, in this order: lock the batch, lock the keys, hold the days, revive.
 */
final class RevivalStore {
    /** A part that is just being added to the batch would be stored as cancelled, and nobody would bring it back. */
    private static final String LOCK_BATCH = "SELECT tailrace.lock_batches(true, ARRAY[$1::uuid], ARRAY[$2::text])";

    /** Those that the end of part $3 cancelled and, when $4 says so, that part. */
    private static final String CONCERNED = """
            o.tenant_id = $1::uuid AND o.batch_id = $2::text
              AND ((o.cancelled_by = $3::bigint AND o.state = 'cancelled') OR (o.id = $3::bigint AND $4::boolean)) AND %s""";

    private static final String HOLD_DAYS = """
            SELECT cardinality(tailrace.hold_outbox_days(ARRAY(SELECT o.created_at FROM telegram_outbox o WHERE %s))) AS missed
            """.formatted(CONCERNED);

    /**
     * The keys of the part and of all behind it in its batch: those may end or come back with it. So two operators, each
     * ending parts in the middle of one another's keys, wait here and not for one another's parts.
     */
    private static final String LOCK_KEYS = """
            SELECT tailrace.lock_keys(true, array_agg(d.tenant_id), array_agg(d.bot_id), array_agg(d.ordering_key))
              FROM (SELECT DISTINCT o.tenant_id, o.bot_id, o.ordering_key FROM telegram_outbox o
                     WHERE o.tenant_id = $1::uuid AND o.batch_id = $2::text AND o.id >= $3::bigint AND %s) d
            HAVING count(*) > 0""";

    /**
     * A part behind another one that ended badly by itself stays cancelled, now because of that one: one that was added
     * to the batch when both had ended already carries the name of the first.
     */
    private static final String HAND_OVER = """
            UPDATE telegram_outbox o
               SET cancelled_by = coalesce(b.cancelled_by, b.id), last_error_class = 'batch_predecessor_' || b.state
              FROM (SELECT * FROM telegram_outbox o
                     WHERE o.tenant_id = $1::uuid AND o.batch_id = $2::text AND %1$s AND o.id <> $3::bigint
                       AND o.state IN ('ambiguous', 'dead_letter', 'expired', 'cancelled')
                       AND o.cancelled_by IS DISTINCT FROM $3::bigint
                     ORDER BY o.part_index LIMIT 1) b
             WHERE o.tenant_id = $1::uuid AND o.batch_id = $2::text AND %1$s
               AND o.cancelled_by = $3::bigint AND o.state = 'cancelled' AND o.part_index > b.part_index""";

    /**
     * Candidates all of them: a hint that the claim checks. The token stays, so that the next claim's is another one; the
     * part that an operator retries also keeps what its last lease came to, for whoever says it again.
     */
    private static final String REVIVE = """
            WITH clock AS MATERIALIZED (SELECT tailrace_now() AS at),
            revived AS (
                UPDATE telegram_outbox o
                   SET state = 'pending', last_error_class = NULL, last_error = NULL, cancelled_by = NULL,
                       updated_at = c.at
                  FROM clock c
                 WHERE %s
                RETURNING o.*, o.id = $3::bigint AS asked
            )
            INSERT INTO telegram_outbox_inflight (id, created_at, tenant_id, key_id, bot_id, batch_no, part_index, priority,
                delivery_policy, turn, available_at, expires_at, attempt_count, throttle_count, rescue_count, lease_token,
                claimed_at, started_at, last_outcome, retry_jitter_ms, updated_at)
            SELECT r.id, r.created_at, r.tenant_id, k.key_id, r.bot_id, nullif(coalesce(f.id, $3::bigint), r.id), r.part_index,
                   r.priority, r.delivery_policy,
                   CASE WHEN r.available_at > c.at AND NOT r.asked THEN 's' ELSE 'c' END::"char",
                   CASE WHEN r.asked THEN c.at ELSE r.available_at END, r.expires_at,
                   r.attempt_count, r.throttle_count, r.rescue_count, r.lease_token,
                   r.claimed_at, CASE WHEN r.asked THEN r.request_started_at END, CASE WHEN r.asked THEN r.last_outcome END,
                   mod(('x' || substr(r.operation_id, 9, 8))::bit(32)::bigint, 250), c.at
              FROM revived r
              JOIN telegram_outbox_keys k
                ON k.tenant_id = r.tenant_id AND k.bot_id = r.bot_id AND k.ordering_key = r.ordering_key
              -- Past the horizon a batch id may have been used again: the last part 0 before is the batch's own.
              LEFT JOIN LATERAL (SELECT o.id FROM telegram_outbox o
                                  WHERE o.tenant_id = r.tenant_id AND o.batch_id = r.batch_id AND o.part_index = 0
                                    AND o.id <= r.id
                                  ORDER BY o.id DESC LIMIT 1) f ON true
             CROSS JOIN clock c""".formatted(CONCERNED);

    /** Which parts: those that the end of {@code by} cancelled and, {@code itself}, that part. */
    record Concerned(UUID tenant, String batchId, PartId by, boolean itself, Instant now) {
        /** A replay may have added parts to the batch on any later day. */
        private String days() {
            return TimeRange.around(List.of(by.createdAt(), now.plus(1, ChronoUnit.DAYS)))
                    .condition("o.created_at");
        }

        private Tuple values() {
            return Tuple.of(tenant, batchId, by.id(), itself);
        }
    }

    private RevivalStore() {}

    static Future<Void> lockBatch(SqlConnection connection, UUID tenant, String batchId) {
        return connection
                .preparedQuery(LOCK_BATCH)
                .execute(Tuple.of(tenant, batchId))
                .mapEmpty();
    }

    /** Keeps the days of these parts from being removed; false when one is being removed already. */
    static Future<Boolean> holdDays(SqlConnection connection, Concerned parts) {
        return connection
                .preparedQuery(HOLD_DAYS.formatted(parts.days()))
                .execute(parts.values())
                .map(rows -> rows.iterator().next().getInteger("missed") == 0);
    }

    static Future<Void> lockKeys(SqlConnection connection, Concerned parts) {
        return connection
                .preparedQuery(LOCK_KEYS.formatted(parts.days()))
                .execute(Tuple.of(parts.tenant(), parts.batchId(), parts.by().id()))
                .mapEmpty();
    }

    /** Brings them back; answers how many. */
    static Future<Integer> revive(SqlConnection connection, Concerned parts) {
        return connection
                .preparedQuery(HAND_OVER.formatted(parts.days()))
                .execute(Tuple.of(parts.tenant(), parts.batchId(), parts.by().id()))
                .compose(left ->
                        connection.preparedQuery(REVIVE.formatted(parts.days())).execute(parts.values()))
                .map(rows -> rows.rowCount());
    }
}
