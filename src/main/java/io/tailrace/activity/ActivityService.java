package io.tailrace.activity;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The log, as every edge sees it. A failed Future is a {@link io.tailrace.db.DatabaseFailure}; everything that a caller can
 * expect is a value. Thread-safe; Futures complete on the caller's context.
 */
public interface ActivityService {
    /**
     * Appends one activity; when the Future completes, it is committed. {@code OVERLOADED} when the lane's queue is full,
     * {@code PARTITION_MISSING} when the month is not there, {@code OUTCOME_UNKNOWN} when the connection broke while committing.
     */
    Future<AppendResult> append(UUID tenant, NewActivity activity);

    /**
     * Appends inside the caller's own READ COMMITTED transaction, in the order given: its rollback takes them along. Waits for
     * locks as long as the session's lock_timeout says. A key may come twice; the second is a replay or a conflict.
     */
    Future<List<AppendResult>> append(SqlConnection connection, UUID tenant, List<NewActivity> activities);

    /**
     * A page of a conversation, ascending by seq; empty when the tenant has no such conversation.
     *
     * @param after the seq before the first that is wanted; 0 for the beginning
     * @param since no wanted activity is older, when the caller knows (a cursor does): spares the months before it
     * @param limit 1 to {@link ActivityRules#MOST_ON_A_PAGE}
     */
    Future<Optional<ActivityPage>> page(
            UUID tenant, UUID conversation, long after, java.time.@Nullable Instant since, int limit);

    /** Empty when the tenant has no such activity. Looks into the month that the id carries first (ACT-16). */
    Future<Optional<Activity>> find(UUID tenant, UUID id);

    /** Deletes an activity and its deliveries. Its seq stays unused, its key becomes free (ACT-14). */
    Future<DeleteResult> delete(UUID tenant, UUID id);
}
