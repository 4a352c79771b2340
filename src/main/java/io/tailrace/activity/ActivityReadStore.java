package io.tailrace.activity;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * SQL that reads the log. A bound on the time prunes: pages go from the conversation's beginning, or from where the caller
 * knows that it goes on; a look-up by id goes to the month that the id carries.
 */
final class ActivityReadStore {
    private static final String COLUMNS = """
            a.id, a.tenant_id, a.conversation_id, a.seq, a.type, a.sender, a.text, a.attachments::text AS attachments,
            a.metadata::text AS metadata, a.idempotency_key, a.inserted_at""";

    private static final String SINCE = """
            SELECT c.created_at FROM conversations c
             WHERE c.id = $1::uuid AND c.tenant_id = $2::uuid AND c.status = 'active'""";

    static final String PAGE = """
            SELECT %s FROM activities a
             WHERE a.conversation_id = $1::uuid AND a.seq > $2::bigint AND a.inserted_at >= $3::timestamptz
             ORDER BY a.seq LIMIT $4::integer""".formatted(COLUMNS);

    private static final String FIRST = """
            SELECT a.seq FROM activities a WHERE a.conversation_id = $1::uuid AND a.inserted_at >= $2::timestamptz
             ORDER BY a.seq LIMIT 1""";

    /** Of a conversation that is being deleted nothing is found, and neither is what no conversation owns. */
    private static final String OWNED = """
            AND a.tenant_id = $2::uuid AND EXISTS (
                SELECT FROM conversations c WHERE c.id = a.conversation_id AND c.tenant_id = a.tenant_id AND c.status = 'active')""";

    static final String FIND_AT = """
            SELECT %s FROM activities a
             WHERE a.id = $1::uuid AND a.inserted_at >= tailrace.uuid_v7_time($1::uuid)
               AND a.inserted_at < tailrace.uuid_v7_time($1::uuid) + interval '1 millisecond' %s""".formatted(COLUMNS, OWNED);

    static final String FIND_ANYWHERE =
            "SELECT %s FROM activities a WHERE a.id = $1::uuid %s".formatted(COLUMNS, OWNED);

    private ActivityReadStore() {}

    /** When the conversation began; empty when the tenant has no such one. */
    static Future<Optional<Instant>> since(SqlClient client, UUID tenant, UUID conversation) {
        return client.preparedQuery(SINCE)
                .execute(Tuple.of(conversation, tenant))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(Rows.instant(rows.iterator().next(), "created_at")));
    }

    static Future<List<Activity>> page(SqlClient client, UUID conversation, long after, Instant since, int limit) {
        return client.preparedQuery(PAGE)
                .execute(Tuple.of(conversation, after, Rows.utc(since), limit))
                .map(rows -> Rows.map(rows, ActivityReadStore::activity));
    }

    /** The lowest seq that is stored. */
    static Future<Optional<Long>> first(SqlClient client, UUID conversation, Instant since) {
        return client.preparedQuery(FIRST)
                .execute(Tuple.of(conversation, Rows.utc(since)))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(rows.iterator().next().getLong("seq")));
    }

    /** In the month that the id carries. */
    static Future<Optional<Activity>> findAt(SqlClient client, UUID tenant, UUID id) {
        return find(client, FIND_AT, tenant, id);
    }

    /** In every month: for ids that were not made here. */
    static Future<Optional<Activity>> findAnywhere(SqlClient client, UUID tenant, UUID id) {
        return find(client, FIND_ANYWHERE, tenant, id);
    }

    private static Future<Optional<Activity>> find(SqlClient client, String sql, UUID tenant, UUID id) {
        return client.preparedQuery(sql)
                .execute(Tuple.of(id, tenant))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(activity(rows.iterator().next())));
    }

    static Activity activity(Row row) {
        return new Activity(
                row.getUUID("id"),
                row.getUUID("tenant_id"),
                row.getUUID("conversation_id"),
                row.getLong("seq"),
                row.getString("type"),
                row.getString("sender"),
                row.getString("text"),
                row.getString("attachments"),
                row.getString("metadata"),
                row.getString("idempotency_key"),
                Rows.instant(row, "inserted_at"));
    }
}
