package io.tailrace.wire;

import io.tailrace.db.DatabaseFailure;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The only place where a failure becomes a problem. What it does not know is logged under an id and shown as that id. */
public final class Failures {
    private static final Logger LOG = LoggerFactory.getLogger(Failures.class);
    private static final Duration SOON = Duration.ofSeconds(1);

    private Failures() {}

    public static Problem of(Throwable cause) {
        if (cause instanceof Rejection rejection) {
            return rejection.problem();
        }
        Throwable meaning = DatabaseFailure.of(cause);
        return meaning instanceof DatabaseFailure failure ? of(failure) : unknown(cause);
    }

    private static Problem of(DatabaseFailure failure) {
        return switch (failure.kind()) {
            case UNAVAILABLE ->
                Problem.of(ProblemCode.DATABASE_UNAVAILABLE, "PostgreSQL cannot be reached; nothing was stored")
                        .retryAfter(SOON);
            case OUTCOME_UNKNOWN ->
                Problem.of(
                                ProblemCode.OUTCOME_UNKNOWN,
                                "the connection to PostgreSQL broke while committing; send the same request again to"
                                        + " find out")
                        .retryAfter(SOON);
            case PARTITION_MISSING ->
                Problem.of(ProblemCode.PARTITION_MISSING, "no partition takes rows of this time; nothing was stored")
                        .retryAfter(SOON);
            case OVERLOADED, OUT_OF_RESOURCES, LOCK_TIMEOUT, CANCELLED, TRY_AGAIN -> {
                LOG.atDebug().setCause(failure).log("answered as overloaded");
                yield Problem.of(ProblemCode.OVERLOADED, "too busy at the moment; nothing was stored")
                        .retryAfter(SOON);
            }
            case BAD_VALUE -> {
                LOG.warn("PostgreSQL refused a value that the edge let through, SQLSTATE {}", failure.sqlState());
                yield Problem.of(ProblemCode.INVALID_FIELD, "a value cannot be stored");
            }
            case UNIQUE_VIOLATION, CHECK_VIOLATION, WRONG_STATE, OTHER -> unknown(failure);
        };
    }

    private static Problem unknown(Throwable cause) {
        String id = UUID.randomUUID().toString();
        LOG.error("request failed, shown to its caller as {}", id, cause);
        return Problem.of(ProblemCode.INTERNAL, "something went wrong here; it is in the log as " + id);
    }
}
