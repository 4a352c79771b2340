package io.tailrace.activity;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;

/** SQL that takes one activity out. Every method runs inside the caller's transaction. */
final class ActivityDeleteStore {
    private static final String DELETE = """
            DELETE FROM activities a WHERE a.id = $1::uuid AND a.inserted_at = $2::timestamptz""";

    /** Locked in id order first, as receipts lock them. */
    private static final String DELETE_DELIVERIES = """
            DELETE FROM deliveries d WHERE d.activity_inserted_at = $2::timestamptz AND d.id = ANY (ARRAY(
                SELECT l.id FROM deliveries l
                 WHERE l.activity_id = $1::uuid AND l.activity_inserted_at = $2::timestamptz ORDER BY l.id FOR UPDATE))""";

    private static final String TOMBSTONE = """
            INSERT INTO tombstones (kind, id, tenant_id, at) VALUES ('activity', $1::uuid, $2::uuid, tailrace_now())
            ON CONFLICT DO NOTHING""";

    private ActivityDeleteStore() {}

    /**
     * With its deliveries; leaves a tombstone. False when it was gone already. The activity goes first: that waits for whoever
     * holds it to make a delivery, and only a later statement sees what he made.
     */
    static Future<Boolean> delete(SqlConnection connection, Activity activity) {
        Tuple row = Tuple.of(activity.id(), Rows.utc(activity.insertedAt()));
        return connection.preparedQuery(DELETE).execute(row).compose(gone -> {
            if (gone.rowCount() == 0) {
                return Future.succeededFuture(false);
            }
            return connection
                    .preparedQuery(DELETE_DELIVERIES)
                    .execute(row)
                    .compose(deliveries ->
                            connection.preparedQuery(TOMBSTONE).execute(Tuple.of(activity.id(), activity.tenantId())))
                    .map(true);
        });
    }
}
