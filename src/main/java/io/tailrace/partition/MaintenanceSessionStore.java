package io.tailrace.partition;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;

/** The SQL of the runner's session: its bounds and its lock. */
final class MaintenanceSessionStore {
    /**
     * Bounds on everything: if the network dies without a word, PostgreSQL ends the session within about a minute, and
     * if this process is frozen, after twenty minutes at most; then the lock is free for another runner.
     * One processor for whatever is read: the others are the writers'.
     */
    private static final String SETTINGS = """
            SET max_parallel_workers_per_gather = 0;
            SET statement_timeout = '60s';
            SET idle_in_transaction_session_timeout = '60s';
            SET idle_session_timeout = '20min';
            SET tcp_keepalives_idle = 20;
            SET tcp_keepalives_interval = 10;
            SET tcp_keepalives_count = 4
            """;

    private static final String LOCK_TIMEOUT = "SELECT set_config('lock_timeout', $1::text, false)";

    private static final String TRY_LOCK = "SELECT pg_try_advisory_lock(hashtextextended($1::text, 0))";

    Future<Void> bound(SqlConnection connection, Duration lockTimeout) {
        return connection
                .query(SETTINGS)
                .execute()
                .compose(set -> connection.preparedQuery(LOCK_TIMEOUT).execute(Tuple.of(lockTimeout.toMillis() + "ms")))
                .mapEmpty();
    }

    /** True when the session holds the lock from now on, until it ends. */
    Future<Boolean> tryLock(SqlConnection connection, String name) {
        return connection.preparedQuery(TRY_LOCK).execute(Tuple.of(name)).map(rows -> rows.iterator()
                .next()
                .getBoolean(0));
    }
}
