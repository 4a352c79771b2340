package io.tailrace.testkit;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A transaction on a connection of its own, stopped wherever the test wants it; rolled back when closed. */
public class OpenTransaction implements AutoCloseable {
    private final TestDatabase db;
    private final Connection connection;
    private final int pid;

    public OpenTransaction(TestDatabase db) {
        this.db = db;
        this.connection = db.connect();
        try {
            connection.setAutoCommit(false);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        this.pid = (int) number("SELECT pg_backend_pid()");
    }

    public int pid() {
        return pid;
    }

    /** Runs a statement; what it answers is dropped. */
    public OpenTransaction run(String sql, @Nullable Object... arguments) {
        try (PreparedStatement statement = prepared(sql, arguments)) {
            statement.execute();
            return this;
        } catch (SQLException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    public long number(String sql, @Nullable Object... arguments) {
        return Long.parseLong(text(sql, arguments));
    }

    /** The first column of the first row. */
    public String text(String sql, @Nullable Object... arguments) {
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

    /** Returns once somebody waits for a lock that this transaction holds. */
    public void awaitWaiter() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> waiters() > 0);
    }

    /** The same, or {@code otherwise} came true. */
    public void awaitWaiterOr(BooleanSupplier otherwise) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> otherwise.getAsBoolean() || waiters() > 0);
    }

    /** How many sessions wait for this transaction. */
    public long waiters() {
        return db.number("SELECT count(*) FROM pg_stat_activity a WHERE ? = ANY (pg_blocking_pids(a.pid))", pid);
    }

    public void commit() {
        try {
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public void rollback() {
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
