package io.tailrace.activity;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

/** SQL that takes one activity out. Every method runs inside the caller's transaction. */
final class ActivityDeleteStore {
    private static final String DELETE_DELIVERIES = """
            DELETE FROM deliveries d WHERE d.activity_id = $1::uuid AND d.activity_inserted_at = $2::timestamptz""";

    private static final String DELETE = """
            DELETE FROM activities a WHERE a.id = $1::uuid AND a.inserted_at = $2::timestamptz""";

    private static final String TOMBSTONE = """
            INSERT INTO tombstones (kind, id, tenant_id, at) VALUES ('activity', $1::uuid, $2::uuid, tailrace_now())
            ON CONFLICT DO NOTHING""";

    private ActivityDeleteStore() {}

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
