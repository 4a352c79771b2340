package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * SQL that ends leases and parts. Every method runs inside the caller's transaction.
 *
 * <p>The order is: lock the rows in id order, decide ({@link LeaseRules}), apply. The lock and what is looked up under it
 * are separate statements, so that the second sees what the first waited for. Statements that apply carry no guard of
 * their own: their rows are locked and were judged under that lock.
 */
final class OutboxSettlements {
    private static final String LOCK = """
            SELECT %s FROM telegram_outbox_inflight h
             WHERE h.id = ANY ($1::bigint[]) AND h.tenant_id = $2::uuid
               AND ($3::text[] IS NULL OR h.bot_id = ANY ($3::text[]))
             ORDER BY h.id FOR UPDATE""".formatted(InflightPart.COLUMNS);

    private static final String LOCK_SUCCESSORS = """
            SELECT %s FROM telegram_outbox_inflight h
              JOIN (SELECT u.batch_no, min(u.part_index) AS part_index
                      FROM unnest($1::bigint[], $2::integer[]) AS u(batch_no, part_index) GROUP BY u.batch_no) b
                ON h.batch_no = b.batch_no AND h.part_index > b.part_index
             WHERE h.turn <> 'l'
             ORDER BY h.id FOR UPDATE OF h""".formatted(InflightPart.COLUMNS);

    private static final String LOCK_ENDED = """
            SELECT o.id, o.created_at, o.batch_id, o.state, o.lease_token, o.last_outcome, o.claimed_at, o.request_started_at
              FROM telegram_outbox o
              JOIN unnest($1::bigint[], $2::timestamptz[]) AS u(id, created_at)
                ON o.id = u.id AND o.created_at = u.created_at
             WHERE o.tenant_id = $3::uuid AND ($4::text[] IS NULL OR o.bot_id = ANY ($4::text[])) AND %s
               AND o.state NOT IN ('pending', 'leased', 'retry_wait')
             ORDER BY o.id FOR UPDATE OF o""";

    /**
     * The heir of a key is the first that can be sent; the heir of a batch is the part after a delivered one. What is given
     * travels with what is gone, and what was promoted is looked up in a hash: sessions join by nested loops
     * ({@code Database.STEADY_PLANS}), and joining two such lists costs the square of their length. The cast of turn keeps
     * the planner from reading the whole queue by an index on turn, which looks cheap while the queue is empty.
     */
    static final String END = """
            WITH clock AS MATERIALIZED (SELECT tailrace_now() AS at),
            given AS MATERIALIZED (
                SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[],
                    $7::text[], $8::text[], $9::text[], $10::bigint[])
                  AS g(id, state, outcome, error_class, error, http_status, response_kind, receipt, message_ids, cancelled_by)
            ), gone AS (
                DELETE FROM telegram_outbox_inflight h USING given g WHERE h.id = g.id
                RETURNING h.id, h.created_at, h.key_id, h.batch_no, h.part_index, h.attempt_count, h.throttle_count,
                    h.rescue_count, h.lease_token, h.claimed_at, h.started_at, h.turn AS was, g.state, g.outcome,
                    g.error_class, g.error, g.http_status, g.response_kind, g.receipt, g.message_ids, g.cancelled_by
            ), history AS (
                UPDATE telegram_outbox o
                   SET state = x.state, attempt_count = x.attempt_count, throttle_count = x.throttle_count,
                       rescue_count = x.rescue_count, lease_token = x.lease_token, last_outcome = x.outcome,
                       last_error_class = x.error_class, last_error = x.error, cancelled_by = x.cancelled_by,
                       response_kind = x.response_kind, receipt = x.receipt::jsonb,
                       telegram_message_ids = x.message_ids::text[], claimed_at = x.claimed_at,
                       request_started_at = x.started_at,
                       confirmed_at = CASE WHEN x.state = 'delivered' THEN c.at END, updated_at = c.at
                  FROM gone x CROSS JOIN clock c
                 WHERE o.id = x.id AND o.created_at = x.created_at AND %s
            ), attempt AS (
                UPDATE telegram_outbox_attempts a
                   SET request_started_at = x.started_at, finished_at = c.at, outcome = x.outcome,
                       response_received_at = CASE WHEN x.http_status IS NOT NULL OR x.state = 'delivered' THEN c.at END,
                       http_status = x.http_status, error_class = x.error_class, error = x.error,
                       latency_ms = (extract(epoch FROM c.at - x.started_at) * 1000)::bigint
                  FROM gone x CROSS JOIN clock c
                 WHERE a.outbox_id = x.id AND a.lease_token = x.lease_token AND a.claimed_at = x.claimed_at
                   AND (x.was = 'l' OR x.state = 'delivered') AND %s
            ), key_heir AS (
                SELECT n.id, k.key_id FROM (SELECT DISTINCT key_id FROM gone) k
                 CROSS JOIN LATERAL (
                    SELECT h.id, h.turn FROM telegram_outbox_inflight h
                     WHERE h.key_id = k.key_id AND h.turn <> 's' AND h.turn <> 'l' AND h.id <> ALL ($1::bigint[])
                     ORDER BY h.id LIMIT 1) n
                 WHERE n.turn <> 'w'
            ), batch_heir AS (
                SELECT n.id FROM gone x
                 CROSS JOIN LATERAL (
                    SELECT h.id FROM telegram_outbox_inflight h
                     WHERE h.batch_no = coalesce(x.batch_no, x.id) AND h.part_index > x.part_index
                       AND h.id <> ALL ($1::bigint[])
                     ORDER BY h.part_index LIMIT 1) n
                 WHERE x.state = 'delivered'
            ), heir AS MATERIALIZED (
                SELECT id FROM key_heir UNION SELECT id FROM batch_heir ORDER BY id
            ), promoted AS (
                UPDATE telegram_outbox_inflight h SET turn = 'c' FROM heir
                 WHERE h.id = heir.id AND h.turn::text IN ('q', 'c')
                RETURNING h.id
            )
            SELECT k.key_id FROM key_heir k WHERE k.id NOT IN (SELECT p.id FROM promoted p)""";

    private static final String BACK = """
            WITH clock AS MATERIALIZED (SELECT tailrace_now() AS at),
            given AS MATERIALIZED (
                SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::timestamptz[], $5::integer[], $6::integer[],
                    $7::integer[], $8::integer[], $9::text[], $10::text[], $11::integer[])
                  AS g(id, state, outcome, available_at, attempt_count, throttle_count, rescue_count, lapses, error_class, error,
                       http_status)
            ), attempt AS (
                UPDATE telegram_outbox_attempts a
                   SET request_started_at = h.started_at, finished_at = c.at, outcome = g.outcome,
                       response_received_at = CASE WHEN g.http_status IS NOT NULL THEN c.at END,
                       http_status = g.http_status, error_class = g.error_class, error = g.error,
                       latency_ms = (extract(epoch FROM c.at - h.started_at) * 1000)::bigint
                  FROM given g JOIN telegram_outbox_inflight h ON h.id = g.id CROSS JOIN clock c
                 WHERE a.outbox_id = g.id AND a.lease_token = h.lease_token AND a.claimed_at = h.claimed_at AND %s
            )
            UPDATE telegram_outbox_inflight h
               SET state = g.state, turn = CASE WHEN g.state = 'retry_wait' THEN 'w' ELSE 'c' END::"char",
                   available_at = coalesce(g.available_at, c.at), attempt_count = g.attempt_count,
                   throttle_count = g.throttle_count, rescue_count = g.rescue_count, lapses = g.lapses,
                   last_outcome = g.outcome, last_error_class = g.error_class, last_error = g.error,
                   lease_owner = NULL, leased_until = NULL, claim_id = NULL, updated_at = c.at
              FROM given g CROSS JOIN clock c
             WHERE h.id = g.id""";

    private static final String REPLACE_PAYLOADS = """
            UPDATE telegram_outbox o SET payload = u.payload::jsonb
              FROM unnest($1::bigint[], $2::timestamptz[], $3::text[]) AS u(id, created_at, payload)
             WHERE o.id = u.id AND o.created_at = u.created_at AND %s""";

    private static final String PROMOTE = """
            WITH heir AS MATERIALIZED (
                SELECT n.id, k.key_id, n.turn FROM unnest($1::bigint[]) AS k(key_id)
                 CROSS JOIN LATERAL (
                    SELECT h.id, h.turn FROM telegram_outbox_inflight h
                     WHERE h.key_id = k.key_id AND h.turn <> 's' AND h.turn <> 'l'
                     ORDER BY h.id LIMIT 1) n
                 WHERE n.turn <> 'w'
            ), promoted AS (
                UPDATE telegram_outbox_inflight h SET turn = 'c' FROM heir
                 WHERE h.id = heir.id AND h.turn::text IN ('q', 'c')
                RETURNING h.id
            )
            SELECT heir.key_id FROM heir WHERE heir.id NOT IN (SELECT p.id FROM promoted p)""";

    private static final int PROMOTIONS = 8;

    private OutboxSettlements() {}

    static Future<List<InflightPart>> lock(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, Collection<PartId> ids) {
        Long[] wanted = ids.stream().map(PartId::id).distinct().toArray(Long[]::new);
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(wanted, tenant, OperatorStore.bots(botIds)))
                .map(rows -> Rows.map(rows, InflightPart::of));
    }

    /** PostgreSQL's clock, read after the locks were granted. */
    static Future<Instant> now(SqlConnection connection) {
        return connection
                .preparedQuery("SELECT tailrace_now() AS at")
                .execute()
                .map(rows -> Rows.instant(rows.iterator().next(), "at"));
    }

    static Future<List<EndedPart>> lockEnded(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, List<PartId> ids) {
        if (ids.isEmpty()) {
            return Future.succeededFuture(List.of());
        }
        TimeRange days = TimeRange.around(ids.stream().map(PartId::createdAt).toList());
        return connection
                .preparedQuery(LOCK_ENDED.formatted(days.condition("o.created_at")))
                .execute(Tuple.of(ids(ids), createdAts(ids), tenant, OperatorStore.bots(botIds)))
                .map(rows -> Rows.map(rows, EndedPart::of));
    }

    /** The parts behind {@code ends} in their batches that can be cancelled with them. */
    static Future<List<InflightPart>> lockSuccessors(SqlConnection connection, List<Verdict.End> ends) {
        Long[] batches = ends.stream().map(end -> end.part().batch()).toArray(Long[]::new);
        Integer[] indexes = ends.stream().map(end -> end.part().partIndex()).toArray(Integer[]::new);
        return connection
                .preparedQuery(LOCK_SUCCESSORS)
                .execute(Tuple.tuple().addValue(batches).addValue(indexes))
                .map(rows -> Rows.map(rows, InflightPart::of));
    }

    /** Takes the parts out of the in-flight table, writes how they ended, and hands their keys to the next. */
    static Future<Void> end(SqlConnection connection, List<Verdict.End> ends) {
        if (ends.isEmpty()) {
            return Future.succeededFuture();
        }
        TimeRange created = TimeRange.around(
                ends.stream().map(end -> end.part().id().createdAt()).toList());
        Tuple tuple = Tuple.tuple();
        tuple.addValue(Rows.column(ends, Long[]::new, end -> end.part().id().id()));
        tuple.addValue(Rows.column(ends, String[]::new, end -> end.state().wire()));
        tuple.addValue(Rows.column(ends, String[]::new, Verdict.End::outcome));
        tuple.addValue(Rows.column(ends, String[]::new, end -> end.detail().errorClass()));
        tuple.addValue(Rows.column(ends, String[]::new, end -> end.detail().error()));
        tuple.addValue(Rows.column(ends, Integer[]::new, end -> end.detail().httpStatus()));
        tuple.addValue(Rows.column(ends, String[]::new, end -> end.detail().responseKind()));
        tuple.addValue(Rows.column(ends, String[]::new, end -> end.detail().receiptJson()));
        tuple.addValue(Rows.column(
                ends, String[]::new, end -> arrayLiteral(end.detail().messageIds())));
        tuple.addValue(Rows.column(ends, Long[]::new, end -> end.detail().cancelledBy()));
        String sql = END.formatted(
                created.condition("o.created_at"),
                claimedDays(ends.stream().map(Verdict.End::part).toList()));
        return connection
                .preparedQuery(sql)
                .execute(tuple)
                .compose(rows -> promote(connection, Rows.map(rows, row -> row.getLong("key_id")), PROMOTIONS));
    }

    /**
     * Makes the first of each key a candidate. One that ended while we waited for its row leaves its key without an
     * heir, so it is looked for again.
     */
    static Future<Void> promote(SqlConnection connection, Collection<Long> keys, int tries) {
        if (keys.isEmpty()) {
            return Future.succeededFuture();
        }
        if (tries == 0) {
            return Future.failedFuture(
                    new IllegalStateException("the heir of " + keys.size() + " keys keeps changing"));
        }
        return connection
                .preparedQuery(PROMOTE)
                .execute(Tuple.of(keys.toArray(Long[]::new)))
                .compose(rows -> promote(connection, Rows.map(rows, row -> row.getLong("key_id")), tries - 1));
    }

    /**
     * Puts leased parts back into their keys' queues. A part with a lower id may have become due, or been revived, behind
     * the lease: then it is next.
     */
    static Future<Void> back(SqlConnection connection, List<Verdict.Back> backs) {
        if (backs.isEmpty()) {
            return Future.succeededFuture();
        }
        Tuple tuple = Tuple.tuple();
        tuple.addValue(Rows.column(backs, Long[]::new, back -> back.part().id().id()));
        tuple.addValue(Rows.column(backs, String[]::new, back -> back.state().wire()));
        tuple.addValue(Rows.column(backs, String[]::new, Verdict.Back::outcome));
        tuple.addValue(Rows.column(backs, OffsetDateTime[]::new, back -> Rows.utc(back.availableAt())));
        tuple.addValue(Rows.column(backs, Integer[]::new, Verdict.Back::attemptCount));
        tuple.addValue(Rows.column(backs, Integer[]::new, Verdict.Back::throttleCount));
        tuple.addValue(Rows.column(backs, Integer[]::new, Verdict.Back::rescueCount));
        tuple.addValue(Rows.column(backs, Integer[]::new, Verdict.Back::lapses));
        tuple.addValue(Rows.column(backs, String[]::new, back -> back.detail().errorClass()));
        tuple.addValue(Rows.column(backs, String[]::new, back -> back.detail().error()));
        tuple.addValue(Rows.column(backs, Integer[]::new, back -> back.detail().httpStatus()));
        String sql = BACK.formatted(
                claimedDays(backs.stream().map(Verdict.Back::part).toList()));
        Set<Long> keys = backs.stream().map(back -> back.part().keyId()).collect(Collectors.toSet());
        Future<?> put =
                connection.preparedQuery(sql).execute(tuple).compose(done -> promote(connection, keys, PROMOTIONS));
        List<Verdict.Back> replaced =
                backs.stream().filter(back -> back.payloadJson() != null).toList();
        if (replaced.isEmpty()) {
            return put.mapEmpty();
        }
        List<PartId> ids = replaced.stream().map(back -> back.part().id()).toList();
        TimeRange days = TimeRange.around(ids.stream().map(PartId::createdAt).toList());
        Future<?> payloads = connection
                .preparedQuery(REPLACE_PAYLOADS.formatted(days.condition("o.created_at")))
                .execute(Tuple.of(
                        ids(ids), createdAts(ids), Rows.column(replaced, String[]::new, Verdict.Back::payloadJson)));
        return Future.all(put, payloads).mapEmpty();
    }

    private static String claimedDays(List<InflightPart> parts) {
        List<Instant> claimed = parts.stream()
                .map(InflightPart::claimedAt)
                .filter(Objects::nonNull)
                .toList();
        return claimed.isEmpty() ? "false" : TimeRange.around(claimed).condition("a.claimed_at");
    }

    static Long[] ids(List<PartId> ids) {
        return ids.stream().map(PartId::id).toArray(Long[]::new);
    }

    static OffsetDateTime[] createdAts(List<PartId> ids) {
        return ids.stream().map(id -> id.createdAt().atOffset(ZoneOffset.UTC)).toArray(OffsetDateTime[]::new);
    }

    /** Arrays of arrays must be rectangular in PostgreSQL, so each row's list travels as an array literal. */
    private static String arrayLiteral(List<String> values) {
        StringBuilder literal = new StringBuilder("{");
        for (String value : values) {
            literal.append(literal.length() > 1 ? "," : "")
                    .append('"')
                    .append(value.replace("\\", "\\\\").replace("\"", "\\\""))
                    .append('"');
        }
        return literal.append('}').toString();
    }
}
