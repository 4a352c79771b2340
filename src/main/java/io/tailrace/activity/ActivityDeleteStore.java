package io.tailrace.activity;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

/** SQL that takes one activity out. Every method runs inside the caller's transaction. */
final class ActivityDeleteStore {
    /** Against a purge, an append of its key, and a second delete. */
    private static final String LOCK = """
            SELECT FROM conversations c
             WHERE c.id = $1::uuid AND c.tenant_id = $2::uuid AND c.status = 'active' FOR NO KEY UPDATE""";

    private static final String HELD = """
            SELECT t.retention_hold_until > (SELECT tailrace_now()) AS held FROM tenants t WHERE t.id = $1::uuid FOR KEY SHARE""";

    private static final String DELETE_DELIVERIES = """
            DELETE FROM deliveries d WHERE d.activity_id = $1::uuid AND d.activity_inserted_at = $2::timestamptz""";

    private static final String DELETE = """
            DELETE FROM activities a WHERE a.id = $1::uuid AND a.inserted_at = $2::timestamptz""";

    private static final String TOMBSTONE = """
            INSERT INTO tombstones (kind, id, tenant_id, at) VALUES ('activity', $1::uuid, $2::uuid, tailrace_now())
            ON CONFLICT DO NOTHING""";

    private ActivityDeleteStore() {}

    /** False when the conversation is not there any more. */
    static Future<Boolean> lockConversation(SqlConnection connection, Activity activity) {
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(activity.conversationId(), activity.tenantId()))
                .map(rows -> rows.rowCount() > 0);
    }

    static Future<Boolean> held(SqlConnection connection, Activity activity) {
        return connection
                .preparedQuery(HELD)
                .execute(Tuple.of(activity.tenantId()))
                .map(rows -> rows.rowCount() > 0
                        && Boolean.TRUE.equals(rows.iterator().next().getBoolean("held")));
    }

    /** With its deliveries; leaves a tombstone. False when it was gone already. */
    static Future<Boolean> delete(SqlConnection connection, Activity activity) {
        Tuple row = Tuple.of(activity.id(), io.tailrace.db.Rows.utc(activity.insertedAt()));
        return connection
                .preparedQuery(DELETE_DELIVERIES)
                .execute(row)
                .compose(gone -> connection.preparedQuery(DELETE).execute(row))
                .compose(gone -> gone.rowCount() == 0
                        ? Future.succeededFuture(false)
                        : connection
                                .preparedQuery(TOMBSTONE)
                                .execute(Tuple.of(activity.id(), activity.tenantId()))
                                .map(true));
    }
}
