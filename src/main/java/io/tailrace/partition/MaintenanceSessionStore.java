package io.tailrace.partition;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

/** The SQL of the runner's session: its bounds and its lock. */
final class MaintenanceSessionStore {
    /**
     * Bounds on everything: if the network dies without a word, PostgreSQL ends the session within about a minute, and
     * if this process is frozen, after a little longer than a phase may take; then the lock is free for another runner.
     */
    private static final String SETTINGS = """
            SET lock_timeout = '3s';
            SET statement_timeout = '60s';
            SET idle_in_transaction_session_timeout = '60s';
            SET idle_session_timeout = '20min';
            SET tcp_keepalives_idle = 20;
            SET tcp_keepalives_interval = 10;
            SET tcp_keepalives_count = 4
            """;

    private static final String TRY_LOCK = "SELECT pg_try_advisory_lock(hashtextextended($1::text, 0))";

    Future<Void> bound(SqlConnection connection) {
        return connection.query(SETTINGS).execute().mapEmpty();
    }

    /** True when the session holds the lock from now on, until it ends. */
    Future<Boolean> tryLock(SqlConnection connection, String name) {
        return connection.preparedQuery(TRY_LOCK).execute(Tuple.of(name)).map(rows -> rows.iterator()
                .next()
                .getBoolean(0));
    }
}
