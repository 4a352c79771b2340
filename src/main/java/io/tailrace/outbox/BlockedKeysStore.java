package io.tailrace.outbox;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** SQL that finds who holds others up. */
final class BlockedKeysStore {
    /*
     * A leased part and one in retry_wait hold their key and their batch; one that is scheduled for later only its batch.
     * Those are found by the indexes of leases and of times, so the cost grows with them and not with what waits; sorted
     * before what waits is counted, so that a page counts for its own rows only.
     */
    private static final String BLOCKED = """
            WITH blocking AS MATERIALIZED (
                SELECT h.*, w.waiting FROM (
                    SELECT l.* FROM telegram_outbox_inflight l WHERE l.state = 'leased' AND l.tenant_id = $1::uuid
                     UNION ALL
                    SELECT d.* FROM telegram_outbox_inflight d
                     WHERE d.turn IN ('s', 'w') AND d.available_at > (SELECT tailrace_now()) AND d.tenant_id = $1::uuid
                     ORDER BY id OFFSET 0) h
                 CROSS JOIN LATERAL (
                    SELECT count(*)::integer AS waiting FROM (
                        SELECT FROM (
                            (SELECT o.id FROM telegram_outbox_inflight o
                              WHERE h.turn <> 's' AND o.key_id = h.key_id AND o.id <> h.id AND o.turn IN ('q', 'c')
                              LIMIT $5::integer)
                             UNION
                            (SELECT o.id FROM telegram_outbox_inflight o
                              WHERE o.batch_no = coalesce(h.batch_no, h.id) AND o.part_index > h.part_index
                                AND o.turn IN ('q', 'c')
                              LIMIT $5::integer)) u
                         LIMIT $5::integer) b) w
                 WHERE h.id > $2::bigint AND ($3::text[] IS NULL OR h.bot_id = ANY ($3::text[])) AND w.waiting > 0
                 ORDER BY h.id LIMIT $4::integer
            )
            SELECT b.id, b.created_at, o.batch_id, b.part_index, b.bot_id, o.ordering_key, b.state, b.attempt_count,
                   b.last_error_class, coalesce(b.claimed_at, b.updated_at) AS claimed_at, b.updated_at,
                   coalesce(b.leased_until, b.available_at) AS until, b.waiting
              FROM blocking b
             CROSS JOIN LATERAL (SELECT o.batch_id, o.ordering_key FROM telegram_outbox o
                                  WHERE o.id = b.id AND o.created_at = b.created_at OFFSET 0) o
             ORDER BY b.id""";

    private BlockedKeysStore() {}

    static Future<List<BlockedKey>> blocked(
            SqlConnection connection, UUID tenant, @Nullable Set<String> botIds, long after, int limit) {
        return connection
                .preparedQuery(BLOCKED)
                .execute(Tuple.of(tenant, after, OperatorStore.bots(botIds), limit, BlockedKey.MOST_COUNTED))
                .map(rows -> Rows.map(rows, BlockedKeysStore::blocked));
    }

    private static BlockedKey blocked(Row row) {
        PartState state = PartState.of(row.getString("state"));
        return new BlockedKey(
                new PartId(row.getLong("id"), Rows.instant(row, "created_at")),
                row.getString("batch_id"),
                row.getInteger("part_index"),
                row.getString("bot_id"),
                row.getString("ordering_key"),
                state,
                row.getInteger("attempt_count"),
                row.getString("last_error_class"),
                Rows.instant(row, state == PartState.LEASED ? "claimed_at" : "updated_at"),
                Rows.instant(row, "until"),
                row.getInteger("waiting"));
    }
}
