package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/**
 * SQL that collects blobs which no part refers to. An enqueue pins its blobs (tailrace.missing_blobs): one that is pinned
 * is skipped, and one that was just referred to is seen by the second statement, which looks again under the lock.
 */
final class OrphanBlobStore {
    private static final String ORPHAN = """
            NOT EXISTS (SELECT FROM telegram_outbox o
                         WHERE o.blob_sha256 = b.sha256 AND o.tenant_id = b.tenant_id)""";

    private static final String LOCK = """
            SELECT b.tenant_id, b.sha256 FROM telegram_outbox_blobs b
             WHERE b.created_at < (SELECT tailrace_now()) - $1::bigint * interval '1 millisecond' AND %s
             ORDER BY b.tenant_id, b.sha256 LIMIT $2::integer FOR UPDATE OF b SKIP LOCKED""".formatted(ORPHAN);

    private static final String DELETE = """
            DELETE FROM telegram_outbox_blobs b
             USING unnest($1::uuid[], $2::text[]) AS u(tenant_id, sha256)
             WHERE b.tenant_id = u.tenant_id AND b.sha256 = u.sha256 AND %s""".formatted(ORPHAN);

    /** A blob of one tenant. */
    record Orphan(UUID tenant, String sha256) {}

    private OrphanBlobStore() {}

    /** Locks up to {@code limit} blobs that are older than that and have no part. */
    static Future<List<Orphan>> lock(SqlConnection connection, Duration age, int limit) {
        return connection
                .preparedQuery(LOCK)
                .execute(Tuple.of(age.toMillis(), limit))
                .map(rows -> Rows.map(rows, row -> new Orphan(row.getUUID("tenant_id"), row.getString("sha256"))));
    }

    /** Deletes those that still have none; answers how many. */
    static Future<Integer> delete(SqlConnection connection, List<Orphan> orphans) {
        return connection
                .preparedQuery(DELETE)
                .execute(Tuple.tuple()
                        .addValue(orphans.stream().map(Orphan::tenant).toArray(UUID[]::new))
                        .addValue(orphans.stream().map(Orphan::sha256).toArray(String[]::new)))
                .map(rows -> rows.rowCount());
    }
}
