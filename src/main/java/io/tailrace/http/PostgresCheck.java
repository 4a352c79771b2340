package io.tailrace.http;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.net.ConnectException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Whether PostgreSQL lets somebody in.
 *
 * <p>On a new connection each time: one out of a pool may be dead without knowing it, and a pool that is merely busy
 * would look like a server that is gone. Asked at most once a second, by probes alone, it is cheap enough.
 */
public final class PostgresCheck implements HealthCheck {
    private static final int LIMIT_MS = 1_500;

    private final Database database;
    private final PgConnectOptions options;

    public PostgresCheck(Database database) {
        this.database = database;
        this.options = database.ownConnection("tailrace-readiness");
    }

    @Override
    public String name() {
        return "postgres";
    }

    @Override
    public Future<CheckResult> check() {
        Pool once = PgBuilder.pool()
                .with(new PoolOptions()
                        .setMaxSize(1)
                        .setConnectionTimeout(LIMIT_MS)
                        .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS))
                .with(new NetClientOptions().setConnectTimeout(LIMIT_MS))
                .connectingTo(options)
                .using(database.vertx())
                .build();
        return once.getConnection()
                .compose(SqlConnection::close)
                .map(closed -> CheckResult.ok())
                .otherwise(this::explain)
                .onComplete(done -> once.close());
    }

    private CheckResult explain(Throwable cause) {
        String where = options.getHost() + ":" + options.getPort();
        if (DatabaseFailure.is(cause, DatabaseFailure.Kind.OUT_OF_RESOURCES)) {
            // It answers, only not to a newcomer; the pools still have their connections.
            return CheckResult.degraded("PostgreSQL at " + where + " takes no more connections: " + cause.getMessage());
        }
        if (cause instanceof ConnectException) {
            return CheckResult.unready("connection refused by " + where);
        }
        if (cause instanceof TimeoutException) {
            return CheckResult.unready("no connection to " + where + " within " + LIMIT_MS + " ms");
        }
        return CheckResult.unready("no connection to " + where + ": " + cause.getMessage());
    }
}
