package io.tailrace.testkit;

import io.tailrace.config.DatabaseConfig;
import io.tailrace.db.Database;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.SqlConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A database of its own for a test class, with a Vert.x and the service's pools on it.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final TestDatabase db = TestDatabase.create();
 * }</pre>
 *
 * <p>Everything is made before the class and closed after it; a connection that the class did not give back fails it.
 * Assertions go through plain JDBC ({@link #query}, {@link #value}, {@link #execute}), one connection a call, never
 * through the pools under test.
 */
public final class TestDatabase implements BeforeAllCallback, AfterAllCallback {
    /** The bound of {@link #await}: far beyond what any step of a test takes. */
    public static final Duration PATIENCE = Duration.ofSeconds(10);

    /** As {@code conf/tailrace.yaml} says; it is no setting. */
    private static final int MAINTENANCE_CONNECTIONS = 3;

    private final boolean migrated;
    private final TestClock clock = new TestClock(this);
    private @Nullable Opened opened;

    private record Opened(DatabaseConfig config, Vertx vertx, Database database) {}

    private TestDatabase(boolean migrated) {
        this.migrated = migrated;
    }

    /** With the schema and the partitions around today. */
    public static TestDatabase create() {
        return new TestDatabase(true);
    }

    /** With nothing in it, for tests of the migrations themselves. */
    public static TestDatabase empty() {
        return new TestDatabase(false);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        PostgresServer server = PostgresServer.get();
        DatabaseConfig config = migrated ? server.cloneDatabase() : server.emptyDatabase();
        Vertx vertx = Vertx.vertx();
        opened = new Opened(config, vertx, Database.open(vertx, config));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        Opened closing = opened();
        List<Object> left = new ArrayList<>();
        if (isLent(closing.database.service(), closing.config.poolSize())
                || isLent(closing.database.maintenance(), MAINTENANCE_CONNECTIONS)) {
            left.addAll(sessions());
        }
        await(closing.database.close());
        left.addAll(connectionsLeft());
        await(closing.vertx.close());
        PostgresServer.get().drop(closing.config);
        opened = null;
        if (!left.isEmpty()) {
            throw new AssertionError("the test class leaked database connections: " + left);
        }
    }

    /**
     * Whether somebody still has a connection of the pool: then it cannot give out as many as it may have. A pool prefers
     * to open one more to handing over one of another event loop, so counting what it has already says nothing.
     */
    private static boolean isLent(Pool pool, int most) {
        if (pool.size() == 0) {
            return false;
        }
        List<Future<SqlConnection>> taken = new ArrayList<>();
        for (int i = 0; i < most; i++) {
            taken.add(pool.getConnection());
        }
        boolean all = await(Future.join(taken)
                .timeout(3, TimeUnit.SECONDS)
                .transform(done -> Future.succeededFuture(done.succeeded())));
        taken.stream()
                .filter(Future::succeeded)
                .forEach(connection -> await(connection.result().close()));
        return !all;
    }

    /** Sessions that are left once those that are just closing had time to. */
    private List<Map<String, @Nullable Object>> connectionsLeft() {
        try {
            return Awaitility.await().atMost(Duration.ofSeconds(3)).until(this::sessions, List::isEmpty);
        } catch (ConditionTimeoutException e) {
            return sessions();
        }
    }

    private List<Map<String, @Nullable Object>> sessions() {
        return query("""
                SELECT pid, application_name, state, query FROM pg_stat_activity
                WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
                """);
    }

    private Opened opened() {
        Opened now = opened;
        if (now == null) {
            throw new IllegalStateException("the database is there only while the test class runs");
        }
        return now;
    }

    public DatabaseConfig config() {
        return opened().config;
    }

    public Vertx vertx() {
        return opened().vertx;
    }

    /** The pools as the service opens them. */
    public Database database() {
        return opened().database;
    }

    /** Moves this database's time. Reset it after a test that moved it, when the class has others. */
    public TestClock clock() {
        return clock;
    }

    /** A plain JDBC connection in autocommit; the caller closes it. */
    public Connection connect() {
        try {
            return PostgresServer.connect(config());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All rows, column name to value as the JDBC driver gives it. */
    public List<Map<String, @Nullable Object>> query(String sql, @Nullable Object... arguments) {
        try (Connection connection = connect();
                PreparedStatement statement = prepare(connection, sql, arguments);
                ResultSet rows = statement.executeQuery()) {
            ResultSetMetaData columns = rows.getMetaData();
            List<Map<String, @Nullable Object>> all = new ArrayList<>();
            while (rows.next()) {
                Map<String, @Nullable Object> row = new LinkedHashMap<>();
                for (int i = 1; i <= columns.getColumnCount(); i++) {
                    row.put(columns.getColumnLabel(i), rows.getObject(i));
                }
                all.add(row);
            }
            return all;
        } catch (SQLException e) {
            throw failed(sql, e);
        }
    }

    /** The first column of the only row; it must not be null. */
    public <T> T value(Class<T> type, String sql, @Nullable Object... arguments) {
        try (Connection connection = connect();
                PreparedStatement statement = prepare(connection, sql, arguments);
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new AssertionError("no row: " + sql);
            }
            T value = rows.getObject(1, type);
            if (value == null || rows.next()) {
                throw new AssertionError("null, or more than one row: " + sql);
            }
            return value;
        } catch (SQLException e) {
            throw failed(sql, e);
        }
    }

    /** {@code count(*)} and its like. */
    public long number(String sql, @Nullable Object... arguments) {
        return value(Long.class, sql, arguments);
    }

    /** Runs statements, several at once when there are no arguments; the number of rows that the first one changed. */
    public int execute(String sql, @Nullable Object... arguments) {
        try (Connection connection = connect()) {
            if (arguments.length == 0) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(sql);
                    return statement.getUpdateCount();
                }
            }
            try (PreparedStatement statement = prepare(connection, sql, arguments)) {
                statement.execute();
                return statement.getUpdateCount();
            }
        } catch (SQLException e) {
            throw failed(sql, e);
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, @Nullable Object... arguments)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
        return statement;
    }

    private static IllegalStateException failed(String sql, SQLException e) {
        return new IllegalStateException(sql + ": " + e.getMessage(), e);
    }

    /**
     * The Future's value, waited for at most {@link #PATIENCE}. A failure is thrown as it is when it is unchecked, else
     * inside a {@link CompletionException}.
     */
    public static <T extends @Nullable Object> T await(Future<T> future) {
        return await(future, PATIENCE);
    }

    /** The same with a bound of the caller's choice. */
    public static <T extends @Nullable Object> T await(Future<T> future, Duration atMost) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new CompletionException(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("not done within " + atMost, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CompletionException(e);
        }
    }

    /** The failure of a Future that is expected to fail. */
    public static Throwable awaitFailure(Future<?> future) {
        return await(future.transform(done -> done.failed()
                ? Future.succeededFuture(done.cause())
                : Future.failedFuture(new AssertionError("succeeded with " + done.result()))));
    }
}
