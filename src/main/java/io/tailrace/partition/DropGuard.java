package io.tailrace.partition;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;

/**
 * What its owner knows of a table that the engine cannot: which rows of an expired period must stay.
 *
 * <p>Port of the engine. Asked twice: before the detach, and again in the transaction that drops, when the table is out
 * of its parent and locked, so that what slipped in between is seen. An answer brings the period back, or keeps it.
 */
@FunctionalInterface
public interface DropGuard {
    /** For a table whose periods may go as soon as they have expired. */
    DropGuard NONE = (connection, partition, span) -> Future.succeededFuture(List.of());

    /**
     * What keeps the period, for people, the most telling first; empty when it may go. A failed Future keeps it too.
     *
     * @param connection inside a transaction
     * @param partition the period's table, attached or not; unquoted, as the search path finds it
     */
    Future<List<String>> keeps(SqlConnection connection, String partition, Span span);
}
