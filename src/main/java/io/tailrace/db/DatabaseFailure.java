package io.tailrace.db;

import io.vertx.core.VertxException;
import io.vertx.core.http.ConnectionPoolTooBusyException;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.ClosedConnectionException;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Trouble in operation, with a meaning instead of an SQLSTATE. The only place where one is read.
 *
 * @see <a href="https://www.postgresql.org/docs/17/errcodes-appendix.html">PostgreSQL error codes</a>
 */
public final class DatabaseFailure extends RuntimeException {
    /** What a caller can do about it. */
    public enum Kind {
        /** No connection, or it broke before anything was sent that could commit. Safe to retry later. */
        UNAVAILABLE,
        /** Every connection is busy and the queue for one is full, or the wait for one was too long. */
        OVERLOADED,
        /** The connection broke while a commit was under way: it may or may not have happened. */
        OUTCOME_UNKNOWN,
        /** No partition takes the row's time. */
        PARTITION_MISSING,
        /** A lock was not granted within lock_timeout. */
        LOCK_TIMEOUT,
        /** statement_timeout, or cancelled by somebody. */
        CANCELLED,
        /** Deadlock, serialization failure, or a cached plan that a DDL outdated: the same transaction may succeed now. */
        TRY_AGAIN,
        UNIQUE_VIOLATION,
        CHECK_VIOLATION,
        /** A state that the statement does not accept: DETACH beside a DEFAULT partition, a pending detach … (55000). */
        WRONG_STATE,
        /** Disk full, out of shared memory, too many connections. */
        OUT_OF_RESOURCES,
        /** The value cannot be stored as what it should be (class 22). */
        BAD_VALUE,
        OTHER
    }

    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final @Nullable String sqlState;
    private final @Nullable String constraint;

    public DatabaseFailure(Kind kind, String message, @Nullable Throwable cause) {
        this(kind, message, null, null, cause);
    }

    private DatabaseFailure(
            Kind kind,
            String message,
            @Nullable String sqlState,
            @Nullable String constraint,
            @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.sqlState = sqlState;
        this.constraint = constraint;
    }

    public Kind kind() {
        return kind;
    }

    /** The SQLSTATE, for logs only. */
    public @Nullable String sqlState() {
        return sqlState;
    }

    /** The constraint that was violated, when there was one. */
    public @Nullable String constraint() {
        return constraint;
    }

    /** Gives {@code cause} its meaning; anything that did not come from the database is returned as it is. */
    public static Throwable of(Throwable cause) {
        if (cause instanceof DatabaseFailure) {
            return cause;
        }
        if (cause instanceof PgException pg) {
            Kind kind = kindOf(pg.getSqlState(), pg.getConstraint());
            return new DatabaseFailure(
                    kind, String.valueOf(pg.getErrorMessage()), pg.getSqlState(), pg.getConstraint(), pg);
        }
        if (cause instanceof ConnectionPoolTooBusyException) {
            return new DatabaseFailure(Kind.OVERLOADED, "the queue for a database connection is full", cause);
        }
        if (cause instanceof ClosedConnectionException || cause instanceof IOException) {
            return new DatabaseFailure(Kind.UNAVAILABLE, "the connection to PostgreSQL was lost", cause);
        }
        if (cause instanceof TimeoutException) {
            return new DatabaseFailure(Kind.OVERLOADED, "no database connection came free in time", cause);
        }
        if (cause instanceof VertxException && saysClosed(cause)) {
            return new DatabaseFailure(Kind.UNAVAILABLE, "the connection to PostgreSQL was lost", cause);
        }
        return cause;
    }

    private static boolean saysClosed(Throwable cause) {
        return String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("closed");
    }

    /** True when {@code cause} is a database failure of this kind. */
    public static boolean is(Throwable cause, Kind kind) {
        return of(cause) instanceof DatabaseFailure failure && failure.kind == kind;
    }

    static Kind kindOf(@Nullable String sqlState, @Nullable String constraint) {
        if (sqlState == null) {
            return Kind.OTHER;
        }
        return switch (sqlState) {
            case "23505" -> Kind.UNIQUE_VIOLATION;
            // Both "no partition of relation … found for row" and a failed CHECK; only the latter names a constraint.
            case "23514" -> constraint == null || constraint.isEmpty() ? Kind.PARTITION_MISSING : Kind.CHECK_VIOLATION;
            case "55P03" -> Kind.LOCK_TIMEOUT;
            case "55000" -> Kind.WRONG_STATE;
            case "57014" -> Kind.CANCELLED;
            case "40P01", "40001", "26000", "0A000" -> Kind.TRY_AGAIN;
            case "57P01", "57P02", "57P03", "25P03", "25P04" -> Kind.UNAVAILABLE;
            default ->
                switch (sqlState.substring(0, 2)) {
                    case "08" -> Kind.UNAVAILABLE;
                    case "53" -> Kind.OUT_OF_RESOURCES;
                    case "22" -> Kind.BAD_VALUE;
                    default -> Kind.OTHER;
                };
        };
    }
}
