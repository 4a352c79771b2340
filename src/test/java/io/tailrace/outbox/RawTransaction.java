package io.tailrace.outbox;

import io.tailrace.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A transaction on a connection of its own, stopped wherever the test wants it; rolled back when closed. */
final class RawTransaction implements AutoCloseable {
    private final TestDatabase db;
    private final Connection connection;
    private final int pid;

    RawTransaction(TestDatabase db) {
        this.db = db;
        this.connection = db.connect();
        try {
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        this.pid = (int) number("SELECT pg_backend_pid()");
    }

    int pid() {
        return pid;
    }

    /** Runs a statement; what it answers is dropped. */
    RawTransaction run(String sql, @Nullable Object... arguments) {
        try (PreparedStatement statement = prepared(sql, arguments)) {
            statement.execute();
            return this;
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    long number(String sql, @Nullable Object... arguments) {
        return Long.parseLong(text(sql, arguments));
    }

    /** The first column of the first row. */
    String text(String sql, @Nullable Object... arguments) {
        try (PreparedStatement statement = prepared(sql, arguments);
                ResultSet rows = statement.executeQuery()) {
            if (!rows.next()) {
                throw new AssertionError("no row: " + sql);
            }
            return rows.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    /** Stores a batch of one part in this transaction, by the function for SQL callers. */
    RawTransaction enqueue(String batchId, String key) {
        return run("SELECT tailrace.enqueue(tailrace.default_tenant(), ?::jsonb)", json(batchId, key));
    }

    static String json(String batchId, String... keys) {
        StringBuilder parts = new StringBuilder();
        for (String key : keys) {
            parts.append(parts.isEmpty() ? "" : ",").append("""
                    {"bot_id":"7","chat_id":"1001","ordering_key":"%s","dialog_job_id":"42","method_kind":"sendMessage",
                     "payload":{"chat_id":1001,"text":"Hello"},"protected":true}""".formatted(key));
        }
        return "{\"batch_id\":\"" + batchId + "\",\"parts\":[" + parts + "]}";
    }

    /** Returns once somebody waits for a lock that this transaction holds. */
    void awaitWaiter() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> waiters() > 0);
    }

    /** The same, or {@code otherwise} came true. */
    void awaitWaiterOr(BooleanSupplier otherwise) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> otherwise.getAsBoolean() || waiters() > 0);
    }

    /** How many sessions wait for this transaction. */
    long waiters() {
        return db.number("SELECT count(*) FROM pg_stat_activity a WHERE ? = ANY (pg_blocking_pids(a.pid))", pid);
    }

    void commit() {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    void rollback() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private PreparedStatement prepared(String sql, @Nullable Object... arguments) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < arguments.length; i++) {
            statement.setObject(i + 1, arguments[i]);
        }
        return statement;
    }

    @Override
    public void close() {
        try (connection) {
            connection.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
