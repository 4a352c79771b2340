package io.tailrace.app;

import io.tailrace.config.DatabaseConfig;
import io.tailrace.db.Migrations;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until the database has this build's schema, migrating it where that is wanted, and until what depends on it has
 * started. Tries again for as long as it takes, so a process may start before its database.
 */
final class Schema {
    private static final Logger LOG = LoggerFactory.getLogger(Schema.class);
    private static final Duration FIRST_WAIT = Duration.ofMillis(250);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final Vertx vertx;
    private final WorkerExecutor blocking;
    private final DatabaseConfig database;
    private final boolean migrate;
    private final Promise<Void> ready = Promise.promise();
    private volatile Future<?> inHand = Future.succeededFuture();
    private volatile boolean stopped;
    private volatile String state = "not looked at yet";

    Schema(Vertx vertx, WorkerExecutor blocking, DatabaseConfig database, boolean migrate) {
        this.vertx = vertx;
        this.blocking = blocking;
        this.database = database;
        this.migrate = migrate;
    }

    /**
     * Completes once the schema stands and {@code next} has succeeded; fails only when {@link #stop()} came first.
     *
     * @param next run again, together with everything before, until it succeeds
     */
    Future<Void> start(Supplier<Future<Void>> next) {
        attempt(next, FIRST_WAIT);
        return ready.future();
    }

    private void attempt(Supplier<Future<Void>> next, Duration wait) {
        if (stopped) {
            return;
        }
        Future<Void> looking = blocking.executeBlocking(this::bringUpToDate, false);
        inHand = looking;
        looking.compose(done -> stopped ? Future.failedFuture("stopped") : next.get())
                .onSuccess(done -> {
                    state = "ok";
                    ready.tryComplete();
                })
                .onFailure(cause -> again(next, wait, cause));
    }

    private Void bringUpToDate() {
        if (migrate) {
            int ran = Migrations.migrate(database);
            LOG.info("the schema is up to date; {} migration(s) ran", ran);
            return null;
        }
        int pending = Migrations.pending(database);
        if (pending > 0) {
            throw new IllegalStateException(pending + " migration(s) have not run: run `tailrace migrate`");
        }
        return null;
    }

    private void again(Supplier<Future<Void>> next, Duration wait, Throwable cause) {
        String reason = firstLine(cause);
        if (stopped) {
            return;
        }
        if (!reason.equals(state)) {
            LOG.warn("not started yet, trying again: {}", reason);
            state = reason;
        }
        Duration doubled = wait.multipliedBy(2);
        vertx.setTimer(
                wait.toMillis(), fired -> attempt(next, doubled.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : doubled));
    }

    private static String firstLine(Throwable cause) {
        String message = String.valueOf(cause.getMessage()).strip();
        return message.lines().findFirst().orElse(cause.getClass().getSimpleName());
    }

    /** Completes when all stands. */
    Future<Void> ready() {
        return ready.future();
    }

    boolean isReady() {
        return ready.future().succeeded();
    }

    /** {@code ok}, or what stands in the way. */
    String state() {
        return state;
    }

    /** After {@link #stop()}: completes when the attempt in hand, which JDBC lets nobody interrupt, has ended. */
    Future<Void> idle() {
        return inHand.<Void>mapEmpty().otherwiseEmpty();
    }

    void stop() {
        stopped = true;
        ready.tryFail("stopped before it was ready: " + state);
    }
}
