package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** SQL that looks where the live candidates begin, and how much is walked past to get there. Locks nothing. */
final class ClaimFloorStore {
    /** Priorities that a look goes through. */
    static final int MOST_HEADS = 32;

    /**
     * What this session has read of the table's indexes. It counts since the session's figures were last handed on, which
     * never happens inside a transaction; so the difference of two counts in one is what was read in between.
     */
    private static final String WALKED = """
            SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(i.indexrelid)), 0)::bigint AS walked
              FROM pg_index i WHERE i.indrelid = 'telegram_outbox_inflight'::regclass""";

    private static final String LAST_ID = "SELECT last_value AS id FROM telegram_outbox_id_seq";

    private static final String CANDIDATE =
            "h.turn = 'c' AND h.tenant_id = $1::uuid AND %s AND " + CandidateStore.NOT_PAUSED;

    private static final String OF_ANY_BOT = "$2::text IS NULL";
    private static final String OF_BOT = "h.bot_id = $2::text";

    /** One candidate a priority: each step begins below the priority of the last, so nothing is walked twice. */
    private static final String HEADS = """
            WITH RECURSIVE head (priority, id, number) AS (
                (SELECT h.priority, h.id, 1 FROM telegram_outbox_inflight h
                  WHERE %1$s ORDER BY h.priority DESC, h.id LIMIT 1)
                UNION ALL
                SELECT n.priority, n.id, f.number + 1 FROM head f CROSS JOIN LATERAL (
                    SELECT h.priority, h.id FROM telegram_outbox_inflight h
                     WHERE %1$s AND h.priority < f.priority ORDER BY h.priority DESC, h.id LIMIT 1) n
                 WHERE f.number < $3::integer)
            SELECT f.priority::integer AS priority, f.id FROM head f ORDER BY f.priority DESC""";

    /** Of those claimed long ago it is not waited for: a sender that is gone would hold the floor for as long as its lease. */
    private static final String OLDEST_LEASE = """
            SELECT min(h.id) AS id FROM telegram_outbox_inflight h
             WHERE h.state = 'leased' AND h.leased_until > (SELECT tailrace_now()) AND h.tenant_id = $1::uuid
               AND ($2::text IS NULL OR h.bot_id = $2::text)
               AND h.claimed_at > (SELECT tailrace_now()) - interval '10 seconds'""";

    private ClaimFloorStore() {}

    /** Runs inside the caller's transaction, which should do nothing else. */
    static Future<ClaimFloors.Look> look(SqlConnection connection, ClaimFloors.Scope scope) {
        String heads = HEADS.formatted(CANDIDATE.formatted(scope.botId() == null ? OF_ANY_BOT : OF_BOT));
        // Sent together; each begins when the one before it has ended.
        Future<@Nullable Long> lastId = number(connection, LAST_ID, Tuple.tuple(), "id");
        Future<@Nullable Long> before = number(connection, WALKED, Tuple.tuple(), "walked");
        Future<RowSet<Row>> found =
                connection.preparedQuery(heads).execute(Tuple.of(scope.tenant(), scope.botId(), MOST_HEADS));
        Future<@Nullable Long> after = number(connection, WALKED, Tuple.tuple(), "walked");
        Future<@Nullable Long> lease = number(connection, OLDEST_LEASE, Tuple.of(scope.tenant(), scope.botId()), "id");
        return Future.all(lastId, before, found, after, lease).map(all -> {
            List<ClaimFloors.Head> live = Rows.map(
                    found.result(), row -> new ClaimFloors.Head(row.getInteger("priority"), row.getLong("id")));
            return new ClaimFloors.Look(
                    Objects.requireNonNull(after.result()) - Objects.requireNonNull(before.result()),
                    Objects.requireNonNull(lastId.result()),
                    lease.result(),
                    live,
                    live.size() < MOST_HEADS);
        });
    }

    private static Future<@Nullable Long> number(SqlConnection connection, String sql, Tuple tuple, String column) {
        return connection.preparedQuery(sql).execute(tuple).map(rows -> rows.iterator()
                .next()
                .getLong(column));
    }
}
