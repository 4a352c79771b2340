package io.tailrace.purge;

import io.tailrace.db.Database;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The table {@code purges}, and what a purge of a conversation removes. */
final class PurgeStore {
    /** Whoever takes a purge over raises the token, and the one before finds that out at his next batch. */
    private static final String CLAIM = """
            UPDATE purges p
               SET lease_token = p.lease_token + 1, lease_owner = $1::text, blocked_by = NULL,
                   leased_until = (SELECT tailrace_now()) + $2::bigint * interval '1 millisecond'
             WHERE p.id = (SELECT q.id FROM purges q
                            WHERE q.finished_at IS NULL AND q.kind = 'conversation' AND q.id > $3::bigint
                              AND (q.leased_until IS NULL OR q.leased_until <= (SELECT tailrace_now()))
                            ORDER BY q.id LIMIT 1 FOR UPDATE SKIP LOCKED)
            RETURNING p.id, p.target_id, p.tenant_id, p.lease_token""";

    private static final String HOLD = """
            SELECT FROM purges p WHERE p.id = $1::bigint AND p.lease_token = $2::bigint AND p.finished_at IS NULL FOR UPDATE""";

    /** FOR SHARE: a hold that is just being set is waited for. */
    private static final String HELD = """
            SELECT t.retention_hold_until::text AS until FROM tenants t
             WHERE t.id = $1::uuid AND t.retention_hold_until > (SELECT tailrace_now()) FOR SHARE""";

    /** By the months' index on (conversation_id, seq); each row is then found in its own month. */
    private static final String REMOVE = """
            WITH batch AS MATERIALIZED (
                SELECT a.id, a.inserted_at FROM activities a WHERE a.conversation_id = $1::uuid ORDER BY a.seq LIMIT $2::integer
            ), delivery AS (
                DELETE FROM deliveries d USING batch b
                 WHERE d.activity_id = b.id AND d.activity_inserted_at = b.inserted_at RETURNING 1
            ), activity AS (
                DELETE FROM activities a USING batch b WHERE a.id = b.id AND a.inserted_at = b.inserted_at RETURNING 1
            )
            SELECT (SELECT count(*) FROM activity) AS activities, (SELECT count(*) FROM delivery) AS deliveries""";

    private static final String REMOVE_CONVERSATION =
            "DELETE FROM conversations c WHERE c.id = $1::uuid AND c.status = 'deleting'";

    private static final String COUNT = """
            UPDATE purges SET activities = activities + $2::bigint, deliveries = deliveries + $3::bigint,
                   leased_until = (SELECT tailrace_now()) + $4::bigint * interval '1 millisecond'
             WHERE id = $1::bigint""";

    private static final String FINISH = """
            UPDATE purges SET conversations = conversations + $2::bigint, finished_at = (SELECT tailrace_now()),
                   leased_until = NULL, lease_owner = NULL
             WHERE id = $1::bigint""";

    private static final String BLOCK =
            "UPDATE purges SET blocked_by = $2::text, leased_until = NULL, lease_owner = NULL WHERE id = $1::bigint";

    private static final String UNFINISHED = "SELECT count(*) AS purges FROM purges WHERE finished_at IS NULL";

    /** A purge that this runner holds. */
    record Claimed(long id, UUID conversation, UUID tenant, long token) {}

    /** What a batch took out. */
    record Removed(long activities, long deliveries) {}

    private PurgeStore() {}

    /** The next one after {@code after} that nobody holds. */
    static Future<Optional<Claimed>> claim(Database database, String owner, Duration lease, long after) {
        return database.statement(connection -> connection
                .preparedQuery(CLAIM)
                .execute(Tuple.of(owner, lease.toMillis(), after))
                .map(rows -> {
                    if (rows.size() == 0) {
                        return Optional.empty();
                    }
                    Row row = rows.iterator().next();
                    return Optional.of(new Claimed(
                            row.getLong("id"),
                            row.getUUID("target_id"),
                            row.getUUID("tenant_id"),
                            row.getLong("lease_token")));
                }));
    }

    /** Holds the purge for this transaction; false when somebody else has taken it over. */
    static Future<Boolean> hold(SqlConnection connection, Claimed purge) {
        return connection
                .preparedQuery(HOLD)
                .execute(Tuple.of(purge.id(), purge.token()))
                .map(rows -> rows.size() > 0);
    }

    /** Until when the tenant's rows are on hold; null when they are not. */
    static Future<@Nullable String> heldUntil(SqlConnection connection, Claimed purge) {
        return connection
                .preparedQuery(HELD)
                .execute(Tuple.of(purge.tenant()))
                .map(rows -> rows.size() == 0 ? null : rows.iterator().next().getString("until"));
    }

    static Future<Removed> remove(SqlConnection connection, Claimed purge, int limit, Duration lease) {
        return connection
                .preparedQuery(REMOVE)
                .execute(Tuple.of(purge.conversation(), limit))
                .map(rows -> new Removed(
                        rows.iterator().next().getLong("activities"),
                        rows.iterator().next().getLong("deliveries")))
                .compose(removed -> connection
                        .preparedQuery(COUNT)
                        .execute(Tuple.of(purge.id(), removed.activities(), removed.deliveries(), lease.toMillis()))
                        .map(removed));
    }

    /** The marked row, and with it the purge. */
    static Future<Void> finish(SqlConnection connection, Claimed purge) {
        return connection
                .preparedQuery(REMOVE_CONVERSATION)
                .execute(Tuple.of(purge.conversation()))
                .compose(gone -> connection.preparedQuery(FINISH).execute(Tuple.of(purge.id(), (long) gone.rowCount())))
                .mapEmpty();
    }

    static Future<Void> block(SqlConnection connection, Claimed purge, String why) {
        return connection
                .preparedQuery(BLOCK)
                .execute(Tuple.of(purge.id(), why))
                .mapEmpty();
    }

    static Future<Long> unfinished(Database database) {
        return database.statement(
                connection -> connection.preparedQuery(UNFINISHED).execute().map(rows -> rows.iterator()
                        .next()
                        .getLong("purges")));
    }
}
