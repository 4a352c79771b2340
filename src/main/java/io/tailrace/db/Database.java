package io.tailrace.db;

import io.tailrace.config.DatabaseConfig;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClientOptions;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The pools of this process and the transactions on them.
 *
 * <p>Two pools, so that maintenance waiting for a lock never takes a connection from a sender, and a burst of senders
 * never keeps tomorrow's partition from being made. Futures complete on the caller's context.
 */
public final class Database {
    /** How often a transaction that lost a deadlock or a plan is run again before its failure is shown. */
    static final int TRIES = 8;
    /** Before it is run again, up to this times the tries so far: those that met once would else meet again. */
    private static final int APART_MILLIS = 25;

    /**
     * Statements of requests go by key and have one good plan. Left alone, the planner makes a new one at each call for
     * an array parameter (milliseconds over eight partitions), or keeps the sequential scan that was right while the
     * table was empty.
     */
    private static final String STEADY_PLANS = "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off"
            + " -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off";

    private final Vertx vertx;
    private final Pool service;
    private final Pool maintenance;
    private final PgConnectOptions maintenanceOptions;
    private final Duration ddlLockTimeout;

    private Database(
            Vertx vertx, Pool service, Pool maintenance, PgConnectOptions maintenanceOptions, Duration ddlLockTimeout) {
        this.vertx = vertx;
        this.service = service;
        this.maintenance = maintenance;
        this.maintenanceOptions = maintenanceOptions;
        this.ddlLockTimeout = ddlLockTimeout;
    }

    /** Opens the pools; connects lazily, so a database that is down does not fail here. */
    public static Database open(Vertx vertx, DatabaseConfig config) {
        PgConnectOptions serviceOptions = connectOptions(config, "tailrace")
                .addProperty(
                        "options",
                        STEADY_PLANS + " -c lock_timeout="
                                + config.lockTimeout().toMillis() + " -c statement_timeout="
                                + config.statementTimeout().toMillis() + " -c idle_in_transaction_session_timeout="
                                + config.statementTimeout().toMillis());
        PgConnectOptions maintenanceOptions = connectOptions(config, "tailrace-maintenance")
                .addProperty(
                        "options", "-c lock_timeout=" + config.ddlLockTimeout().toMillis());
        Pool service = pool(
                vertx,
                serviceOptions,
                config,
                "tailrace-service",
                config.poolSize(),
                config.poolQueue(),
                config.poolWait());
        Pool maintenance =
                pool(vertx, maintenanceOptions, config, "tailrace-maintenance", 3, 64, Duration.ofSeconds(30));
        return new Database(vertx, service, maintenance, maintenanceOptions, config.ddlLockTimeout());
    }

    private static Pool pool(
            Vertx vertx,
            PgConnectOptions options,
            DatabaseConfig config,
            String name,
            int size,
            int queue,
            Duration connectionWait) {
        PoolOptions poolOptions = new PoolOptions()
                .setName(name + "@" + config.host() + ":" + config.port() + "/" + config.database())
                .setShared(true)
                .setMaxSize(size)
                .setMaxWaitQueueSize(queue)
                .setConnectionTimeout((int) connectionWait.toMillis())
                .setConnectionTimeoutUnit(TimeUnit.MILLISECONDS)
                .setMaxLifetime(30)
                .setMaxLifetimeUnit(TimeUnit.MINUTES);
        return PgBuilder.pool()
                .with(poolOptions)
                .with(new NetClientOptions()
                        .setConnectTimeout((int) config.connectTimeout().toMillis())
                        .setTcpKeepAlive(true))
                .connectingTo(options)
                .using(vertx)
                .build();
    }

    private static PgConnectOptions connectOptions(DatabaseConfig config, String applicationName) {
        PgConnectOptions options = new PgConnectOptions()
                .setHost(config.host())
                .setPort(config.port())
                .setDatabase(config.database())
                .setUser(config.user())
                .setPassword(config.password().reveal())
                // Off by default; and SQL over 2,047 characters would silently not be cached.
                .setCachePreparedStatements(true)
                .setPreparedStatementCacheMaxSize(512)
                .setPreparedStatementCacheSqlLimit(65_536)
                .setPipeliningLimit(256)
                .addProperty("application_name", applicationName)
                // Bounds written without a zone would follow the session's zone.
                .addProperty("TimeZone", "UTC");
        // Tells the pools' metrics apart.
        options.setMetricsName(applicationName);
        return options;
    }

    public Vertx vertx() {
        return vertx;
    }

    /** For requests: short statements under lock_timeout and statement_timeout. */
    public Pool service() {
        return service;
    }

    /** For DDL and sweeps: lock_timeout of its own, no statement_timeout. */
    public Pool maintenance() {
        return maintenance;
    }

    /** Options for a connection that its user owns, closes, and that is in no pool: LISTEN, DETACH CONCURRENTLY. */
    public PgConnectOptions ownConnection(String applicationName) {
        PgConnectOptions options = new PgConnectOptions(maintenanceOptions);
        options.addProperty("application_name", applicationName);
        options.setMetricsName(applicationName);
        options.getProperties().remove("options");
        return options;
    }

    /** How long partition DDL may wait for a lock. */
    public Duration ddlLockTimeout() {
        return ddlLockTimeout;
    }

    /** PostgreSQL's clock ({@code tailrace_now()}), the only one that decisions may use. */
    public Future<Instant> now() {
        return service.query("SELECT tailrace_now()")
                .execute()
                .map(rows -> rows.iterator().next().get(OffsetDateTime.class, 0).toInstant())
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    /**
     * Runs {@code work} in a READ COMMITTED transaction on a connection of the service pool and commits.
     *
     * <p>{@code work} may run again when the transaction lost a deadlock or a cached plan, so it must keep no state
     * between runs. Fails with {@link DatabaseFailure}; {@code OUTCOME_UNKNOWN} when the connection broke during COMMIT.
     */
    public <T> Future<T> transaction(Function<SqlConnection, Future<T>> work) {
        return transaction(service, work);
    }

    /** The same on a pool of the caller's choice. */
    public <T> Future<T> transaction(Pool pool, Function<SqlConnection, Future<T>> work) {
        return attempt(pool, connection -> work.apply(connection).map(Database::nothingMore), 1);
    }

    /**
     * The same for a transaction whose last statement only reads: {@code work} answers it, and it is sent together with
     * COMMIT, which saves a round trip under the transaction's locks. When it fails, nothing is committed.
     */
    public <T> Future<T> transactionEndingIn(Function<SqlConnection, Future<Supplier<Future<T>>>> work) {
        return attempt(service, work, 1);
    }

    private static <T> Supplier<Future<T>> nothingMore(T result) {
        return () -> Future.succeededFuture(result);
    }

    /**
     * Runs one statement on a connection of the service pool, as a transaction of its own: one round trip, commit
     * included. Fails as {@link #transaction(Function)} does; once the statement has been sent, a lost connection is
     * {@code OUTCOME_UNKNOWN}.
     */
    public <T> Future<T> statement(Function<SqlConnection, Future<T>> work) {
        return statement(work, 1);
    }

    private <T> Future<T> statement(Function<SqlConnection, Future<T>> work, int tries) {
        return service.getConnection()
                .compose(connection ->
                        work.apply(connection).recover(Database::unknown).eventually(connection::close))
                .recover(cause -> {
                    Throwable failure = DatabaseFailure.of(cause);
                    if (tries < TRIES && DatabaseFailure.is(failure, DatabaseFailure.Kind.TRY_AGAIN)) {
                        return apart(tries).compose(waited -> statement(work, tries + 1));
                    }
                    return Future.failedFuture(failure);
                });
    }

    /**
     * One transaction on a connection that the caller owns and that is outside a transaction. Not run again by itself:
     * what the caller holds on that connection may be gone with the failure.
     */
    public static <T> Future<T> transaction(SqlConnection connection, Function<SqlConnection, Future<T>> work) {
        return inTransaction(connection, same -> work.apply(same).map(Database::nothingMore))
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    private <T> Future<T> attempt(Pool pool, Function<SqlConnection, Future<Supplier<Future<T>>>> work, int tries) {
        return once(pool, work).recover(cause -> {
            Throwable failure = DatabaseFailure.of(cause);
            if (tries < TRIES && DatabaseFailure.is(failure, DatabaseFailure.Kind.TRY_AGAIN)) {
                return apart(tries).compose(waited -> attempt(pool, work, tries + 1));
            }
            return Future.failedFuture(failure);
        });
    }

    private Future<Void> apart(int tries) {
        return vertx.timer(1 + ThreadLocalRandom.current().nextInt(APART_MILLIS * tries), TimeUnit.MILLISECONDS)
                .mapEmpty();
    }

    private static <T> Future<T> once(Pool pool, Function<SqlConnection, Future<Supplier<Future<T>>>> work) {
        return pool.getConnection()
                .compose(connection -> inTransaction(connection, work).eventually(connection::close));
    }

    private static <T> Future<T> inTransaction(
            SqlConnection connection, Function<SqlConnection, Future<Supplier<Future<T>>>> work) {
        // Not awaited: an acquired connection is pipelined, so BEGIN travels with the first statement.
        Future<?> begun =
                connection.query("BEGIN ISOLATION LEVEL READ COMMITTED").execute();
        Future<Supplier<Future<T>>> done = started(() -> work.apply(connection));
        return Future.join(begun, done).transform(both -> {
            if (both.succeeded()) {
                return commit(connection, started(() -> done.result().get()));
            }
            Throwable cause = done.failed() ? done.cause() : both.cause();
            return connection.query("ROLLBACK").execute().transform(ignored -> Future.failedFuture(cause));
        });
    }

    /** Sent behind the last statement without waiting for it: after a failed one, PostgreSQL makes COMMIT a ROLLBACK. */
    private static <T> Future<T> commit(SqlConnection connection, Future<T> last) {
        Future<?> committed = connection.query("COMMIT").execute();
        return Future.join(last, committed).transform(both -> {
            if (last.failed()) {
                return Future.failedFuture(last.cause());
            }
            return committed.succeeded() ? Future.succeededFuture(last.result()) : unknown(committed.cause());
        });
    }

    private static <T> Future<T> started(Supplier<Future<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }

    private static <T> Future<T> unknown(Throwable cause) {
        if (DatabaseFailure.is(cause, DatabaseFailure.Kind.UNAVAILABLE)) {
            return Future.failedFuture(new DatabaseFailure(
                    DatabaseFailure.Kind.OUTCOME_UNKNOWN,
                    "the connection to PostgreSQL was lost while committing: the change may or may not be stored",
                    cause));
        }
        return Future.failedFuture(cause);
    }

    /** Closes both pools; connections in use are closed when they are given back. */
    public Future<Void> close() {
        return Future.join(service.close(), maintenance.close()).mapEmpty();
    }
}
