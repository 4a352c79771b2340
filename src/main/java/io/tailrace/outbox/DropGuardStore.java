package io.tailrace.outbox;

import io.tailrace.partition.Span;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/**
 * SQL of what keeps a day (OUT-26, OUT-27): a part that has not ended keeps the day it was enqueued on, and every day that
 * holds attempts of it.
 */
final class DropGuardStore {
    /**
     * In flight is what the in-flight table says; a row that only its day calls unfinished (written by hand) counts too,
     * which is why the day is read. PostgreSQL composes the statement, and quotes.
     */
    private static final String PARTS = """
            SELECT format($q$
                SELECT s.state, count(*) AS parts, min(s.id) AS oldest
                  FROM (SELECT h.state, h.id FROM telegram_outbox_inflight h
                         WHERE h.created_at >= %1$L::timestamptz AND h.created_at < %2$L::timestamptz
                         UNION ALL
                        SELECT o.state, o.id FROM %3$s o
                         WHERE o.state IN ('pending', 'leased', 'retry_wait')
                           AND NOT EXISTS (SELECT FROM telegram_outbox_inflight h WHERE h.id = o.id)) s
                 GROUP BY s.state ORDER BY s.state
                $q$, $1::timestamptz, $2::timestamptz, to_regclass(quote_ident($3::text)))""";

    private static final String ATTEMPTS = """
            SELECT format($q$
                SELECT h.state, count(*) AS parts, min(h.id) AS oldest FROM telegram_outbox_inflight h
                 WHERE h.created_at < %1$L::timestamptz AND EXISTS (SELECT FROM %2$s a WHERE a.outbox_id = h.id)
                 GROUP BY h.state ORDER BY h.state
                $q$, $1::timestamptz, to_regclass(quote_ident($2::text)))""";

    /** Until the end of the transaction nobody brings a part back; see hold_outbox_days in the migrations. */
    private static final String NO_REVIVALS =
            "SELECT pg_advisory_xact_lock(hashtextextended('tailrace.outbox.revivals', 0))";

    private DropGuardStore() {}

    static Future<List<String>> parts(SqlConnection connection, String partition, Span span) {
        return connection
                .preparedQuery(PARTS)
                .execute(
                        Tuple.of(span.from().atOffset(ZoneOffset.UTC), span.to().atOffset(ZoneOffset.UTC), partition))
                .compose(composed ->
                        reasons(connection, composed.iterator().next().getString(0), "part"));
    }

    static Future<List<String>> attempts(SqlConnection connection, String partition, Span span) {
        return connection
                .query(NO_REVIVALS)
                .execute()
                .compose(locked -> connection
                        .preparedQuery(ATTEMPTS)
                        .execute(Tuple.of(span.to().atOffset(ZoneOffset.UTC), partition)))
                .compose(composed ->
                        reasons(connection, composed.iterator().next().getString(0), "attempts of a part"));
    }

    private static Future<List<String>> reasons(SqlConnection connection, String sql, String what) {
        return connection.query(sql).execute().map(rows -> {
            List<String> reasons = new ArrayList<>();
            rows.forEach(row -> reasons.add(what + " in state " + row.getString("state") + ": " + row.getLong("parts")
                    + ", the oldest has id " + row.getLong("oldest")));
            return reasons;
        });
    }
}
