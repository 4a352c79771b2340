package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * SQL that finds a claim's candidates and locks them, those only that nobody else has locked. Every method runs inside
 * the caller's transaction; what a candidate comes to is judged in a later statement ({@link OutboxClaims}).
 */
final class CandidateStore {
    /** Parts whose time has come, whoever's they are: any claim may move them along. */
    private static final String ACTIVATE = """
            UPDATE telegram_outbox_inflight h SET turn = 'c'
             WHERE h.id = ANY (ARRAY(
                SELECT d.id FROM telegram_outbox_inflight d
                 WHERE d.turn IN ('s', 'w') AND d.available_at <= (SELECT tailrace_now())
                 ORDER BY d.available_at LIMIT $1::integer FOR NO KEY UPDATE SKIP LOCKED))
            RETURNING h.tenant_id, h.bot_id, h.priority::integer AS priority, h.id""";

    static final String NOT_PAUSED = """
            NOT EXISTS (SELECT FROM telegram_outbox_paused_bots p
                         WHERE p.tenant_id = h.tenant_id AND p.bot_id = h.bot_id
                           AND (p.until IS NULL OR p.until > (SELECT tailrace_now())))""";

    /** The ranges do not overlap, and come in the order of candidates. */
    private static final String LOCK = """
            SELECT n.id FROM unnest($4::integer[], $5::integer[], $6::bigint[], $7::bigint[]) AS r(highest, lowest, from_id, to_id)
             CROSS JOIN LATERAL (
                SELECT h.id FROM telegram_outbox_inflight h
                 WHERE h.turn = 'c' AND h.tenant_id = $1::uuid
                   AND h.priority BETWEEN r.lowest AND r.highest AND h.id BETWEEN r.from_id AND r.to_id
                   AND h.id <> ALL ($3::bigint[]) AND %s
                 ORDER BY h.priority DESC, h.id LIMIT $2::integer FOR NO KEY UPDATE OF h SKIP LOCKED) n
             LIMIT $2::integer""".formatted(NOT_PAUSED);

    private static final String LOCK_OF_BOTS = """
            SELECT n.id
              FROM unnest($4::integer[], $5::integer[], $6::bigint[], $7::bigint[], $8::text[])
                AS r(highest, lowest, from_id, to_id, bot_id)
             CROSS JOIN LATERAL (
                SELECT h.id, h.priority FROM telegram_outbox_inflight h
                 WHERE h.turn = 'c' AND h.tenant_id = $1::uuid AND h.bot_id = r.bot_id
                   AND h.priority BETWEEN r.lowest AND r.highest AND h.id BETWEEN r.from_id AND r.to_id
                   AND h.id <> ALL ($3::bigint[]) AND %s
                 ORDER BY h.priority DESC, h.id LIMIT $2::integer FOR NO KEY UPDATE OF h SKIP LOCKED) n
             ORDER BY n.priority DESC, n.id LIMIT $2::integer""".formatted(NOT_PAUSED);

    private CandidateStore() {}

    /** Makes parts whose time has come candidates, up to {@code limit} of them; answers which. */
    static Future<List<ClaimFloors.Stray>> activate(SqlConnection connection, int limit) {
        return connection
                .preparedQuery(ACTIVATE)
                .execute(Tuple.of(limit))
                .map(rows -> Rows.map(
                        rows,
                        row -> new ClaimFloors.Stray(
                                row.getUUID("tenant_id"),
                                row.getString("bot_id"),
                                row.getInteger("priority"),
                                row.getLong("id"))));
    }

    /**
     * Locks the first candidates, but none of those that this claim has {@code seen}.
     *
     * @param ofBots whether the ranges are of bots, or of a tenant whatever the bot
     * @param ranges where to search ({@link ClaimFloors#ranges})
     */
    static Future<List<Long>> lock(
            SqlConnection connection,
            UUID tenant,
            boolean ofBots,
            List<ClaimFloors.Range> ranges,
            int limit,
            Collection<Long> seen) {
        Tuple tuple = Tuple.of(tenant, limit, seen.toArray(Long[]::new));
        tuple.addValue(Rows.column(ranges, Integer[]::new, ClaimFloors.Range::highest));
        tuple.addValue(Rows.column(ranges, Integer[]::new, ClaimFloors.Range::lowest));
        tuple.addValue(Rows.column(ranges, Long[]::new, ClaimFloors.Range::from));
        tuple.addValue(Rows.column(ranges, Long[]::new, ClaimFloors.Range::to));
        if (ofBots) {
            tuple.addValue(Rows.column(ranges, String[]::new, ClaimFloors.Range::botId));
        }
        return connection
                .preparedQuery(ofBots ? LOCK_OF_BOTS : LOCK)
                .execute(tuple)
                .map(rows -> Rows.map(rows, row -> row.getLong(0)));
    }
}
