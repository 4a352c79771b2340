package io.tailrace.partition;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one runner's connection: of its own, in no pool, holding the fleet's lock for as long as it lives.
 *
 * <p>The DDL runs on the connection that holds the lock, so a runner that lost one has lost the other, and two never work
 * at a time. A session lock, not a transaction's: a run is many short transactions.
 */
final class MaintenanceSession {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration CLOSE = Duration.ofSeconds(2);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);

    private static final Logger LOG = LoggerFactory.getLogger(MaintenanceSession.class);
    private static final MaintenanceSessionStore STORE = new MaintenanceSessionStore();

    private final SqlConnection connection;

    private MaintenanceSession(SqlConnection connection) {
        this.connection = connection;
    }

    SqlConnection connection() {
        return connection;
    }

    /**
     * Connects and takes the lock named {@code runner}; empty when another still holds it after {@code patience}.
     *
     * <p>Waits by asking again: one long wait in PostgreSQL would hold a snapshot, which a concurrent detach waits for.
     */
    static Future<Optional<MaintenanceSession>> open(Database database, String runner, Duration patience) {
        return connect(database, runner).compose(connection -> {
            MaintenanceSession session = new MaintenanceSession(connection);
            // Without a handler a broken connection is printed to the console; the statement in hand fails anyway.
            connection.exceptionHandler(broken -> LOG.debug("the session of {} broke", runner, broken));
            long tries = 1 + patience.toMillis() / LOOK_AGAIN.toMillis();
            return STORE.bound(connection, database.ddlLockTimeout())
                    .compose(set -> session.lock(database, "tailrace:" + runner, tries))
                    .recover(cause ->
                            session.close().transform(closed -> Future.failedFuture(DatabaseFailure.of(cause))))
                    .compose(held -> held
                            ? Future.succeededFuture(Optional.of(session))
                            : session.close().map(Optional.empty()));
        });
    }

    private static Future<SqlConnection> connect(Database database, String runner) {
        Promise<SqlConnection> promise = Promise.promise();
        PgConnection.connect(database.vertx(), database.ownConnection("tailrace-" + runner))
                .onComplete(done -> {
                    if (done.failed()) {
                        promise.tryFail(DatabaseFailure.of(done.cause()));
                    } else if (!promise.tryComplete(done.result())) {
                        // It came after the wait for it was given up.
                        done.result().close();
                    }
                });
        database.vertx()
                .setTimer(
                        CONNECT.toMillis(),
                        late -> promise.tryFail(new DatabaseFailure(
                                DatabaseFailure.Kind.UNAVAILABLE,
                                "no connection to PostgreSQL within " + CONNECT.toSeconds() + " s",
                                null)));
        return promise.future();
    }

    private Future<Boolean> lock(Database database, String name, long tries) {
        return STORE.tryLock(connection, name)
                .compose(held -> held || tries <= 1
                        ? Future.succeededFuture(held)
                        : database.vertx()
                                .timer(LOOK_AGAIN.toMillis(), TimeUnit.MILLISECONDS)
                                .compose(waited -> lock(database, name, tries - 1)));
    }

    /** Ends the session, and with it the lock. Never fails, and does not wait for a peer that is gone. */
    Future<Void> close() {
        return connection
                .close()
                .timeout(CLOSE.toMillis(), TimeUnit.MILLISECONDS)
                .otherwiseEmpty();
    }
}
