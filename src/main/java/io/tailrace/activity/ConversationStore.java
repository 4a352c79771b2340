package io.tailrace.activity;

import io.tailrace.db.Rows;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The tables {@code conversations}, and what deleting one leaves: a tombstone and a purge. */
final class ConversationStore {
    private static final String COLUMNS = """
            c.id, c.tenant_id, c.channel_id, c.metadata::text AS metadata, c.last_seq, c.last_activity_at, c.created_at, c.updated_at""";

    /** Until the end of the transaction nobody begins to delete the tenant. */
    private static final String HOLD_TENANT = "SELECT tailrace.hold_tenants(ARRAY [$1::uuid])";

    /** FOR SHARE: a channel that is just being marked is waited for, and then is not active any more. */
    private static final String STANDING = """
            SELECT EXISTS (SELECT FROM tenants t WHERE t.id = $1::uuid AND t.status = 'active') AS tenant,
                   EXISTS (SELECT FROM tombstones s WHERE s.kind = 'conversation' AND s.id = $2::uuid) AS deleted,
                   $3::uuid IS NULL OR EXISTS (SELECT FROM channels h
                        WHERE h.id = $3::uuid AND h.tenant_id = $1::uuid AND h.status = 'active' FOR SHARE) AS channel""";

    private static final String INSERT = """
            INSERT INTO conversations AS c (id, tenant_id, channel_id, metadata, created_at, updated_at)
            SELECT coalesce($1::uuid, tailrace.uuid_v7(n.at)), $2::uuid, $3::uuid, $4::text::jsonb, n.at, n.at
              FROM (SELECT tailrace_now() AS at) n
            ON CONFLICT (id) DO NOTHING
            RETURNING %s""".formatted(COLUMNS);

    private static final String BY_ID =
            "SELECT %s, c.status FROM conversations c WHERE c.id = $1::uuid".formatted(COLUMNS);

    private static final String FIND = """
            SELECT %s FROM conversations c
             WHERE c.id = $1::uuid AND c.tenant_id = $2::uuid AND c.status = 'active'""".formatted(COLUMNS);

    /** FOR SHARE: a hold that is just being set is waited for. */
    private static final String HELD =
            "SELECT t.retention_hold_until > (SELECT tailrace_now()) AS held FROM tenants t WHERE t.id = $1::uuid FOR SHARE";

    private static final String LOCK = """
            SELECT FROM conversations c
             WHERE c.id = $1::uuid AND c.tenant_id = $2::uuid AND c.status = 'active' FOR NO KEY UPDATE""";

    private static final String LOCK_ALL = """
            SELECT FROM conversations c
             WHERE c.id = ANY ($1::uuid[]) AND c.tenant_id = $2::uuid AND c.status = 'active' ORDER BY c.id FOR NO KEY UPDATE""";

    private static final String MARK =
            "UPDATE conversations SET status = 'deleting', updated_at = tailrace_now() WHERE id = $1::uuid";

    private static final String TOMBSTONE = """
            INSERT INTO tombstones (kind, id, tenant_id, at) VALUES ('conversation', $1::uuid, $2::uuid, tailrace_now())
            ON CONFLICT DO NOTHING""";

    private static final String PURGE = """
            INSERT INTO purges (kind, target_id, tenant_id, requested_at)
            VALUES ('conversation', $1::uuid, $2::uuid, tailrace_now())
            ON CONFLICT (kind, target_id) WHERE finished_at IS NULL DO NOTHING""";

    /** What stands in the way of a new conversation. */
    record Standing(boolean tenant, boolean deleted, boolean channel) {}

    /** One that has the wanted id, whoever's and however it is. */
    record Found(Conversation conversation, boolean active) {}

    private ConversationStore() {}

    static Future<Standing> standing(SqlConnection connection, UUID tenant, @Nullable UUID id, @Nullable UUID channel) {
        return connection
                .preparedQuery(HOLD_TENANT)
                .execute(Tuple.of(tenant))
                .compose(held -> connection.preparedQuery(STANDING).execute(Tuple.of(tenant, id, channel)))
                .map(rows -> {
                    Row row = rows.iterator().next();
                    return new Standing(row.getBoolean("tenant"), row.getBoolean("deleted"), row.getBoolean("channel"));
                });
    }

    /** Empty when the id is taken. */
    static Future<Optional<Conversation>> insert(
            SqlConnection connection, UUID tenant, @Nullable UUID id, @Nullable UUID channel, String metadataJson) {
        return connection
                .preparedQuery(INSERT)
                .execute(Tuple.of(id, tenant, channel, metadataJson))
                .map(ConversationStore::one);
    }

    static Future<Optional<Found>> byId(SqlConnection connection, UUID id) {
        return connection
                .preparedQuery(BY_ID)
                .execute(Tuple.of(id))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(new Found(
                                conversation(rows.iterator().next()),
                                rows.iterator().next().getString("status").equals("active"))));
    }

    static Future<Optional<Conversation>> find(SqlClient client, UUID tenant, UUID id) {
        return client.preparedQuery(FIND).execute(Tuple.of(id, tenant)).map(ConversationStore::one);
    }

    /** Whether the tenant's rows are on hold; until the end of the transaction that does not change. */
    static Future<Boolean> held(SqlConnection connection, UUID tenant) {
        return connection
                .preparedQuery(HELD)
                .execute(Tuple.of(tenant))
                .map(rows -> rows.size() > 0
                        && Boolean.TRUE.equals(rows.iterator().next().getBoolean("held")));
    }

    /** Waits for appends in hand and keeps others out; false when the tenant has no such conversation. */
    static Future<Boolean> lock(SqlConnection connection, UUID tenant, UUID id) {
        return connection.preparedQuery(LOCK).execute(Tuple.of(id, tenant)).map(rows -> rows.size() > 0);
    }

    /** Locks what is there of these in id order, the tenant's end first: as an append does. */
    static Future<Void> lockAll(SqlConnection connection, UUID tenant, Collection<UUID> ids) {
        return connection
                .preparedQuery(HOLD_TENANT)
                .execute(Tuple.of(tenant))
                .compose(held -> connection.preparedQuery(LOCK_ALL).execute(Tuple.of(ids.toArray(UUID[]::new), tenant)))
                .mapEmpty();
    }

    /** Marks a locked conversation, and leaves a tombstone and a purge. */
    static Future<Void> mark(SqlConnection connection, UUID tenant, UUID id) {
        return connection
                .preparedQuery(MARK)
                .execute(Tuple.of(id))
                .compose(marked -> connection.preparedQuery(TOMBSTONE).execute(Tuple.of(id, tenant)))
                .compose(left -> connection.preparedQuery(PURGE).execute(Tuple.of(id, tenant)))
                .mapEmpty();
    }

    private static Optional<Conversation> one(RowSet<Row> rows) {
        return rows.size() == 0
                ? Optional.empty()
                : Optional.of(conversation(rows.iterator().next()));
    }

    private static Conversation conversation(Row row) {
        return new Conversation(
                row.getUUID("id"),
                row.getUUID("tenant_id"),
                row.getUUID("channel_id"),
                row.getString("metadata"),
                row.getLong("last_seq"),
                Rows.instantOrNull(row, "last_activity_at"),
                Rows.instant(row, "created_at"),
                Rows.instant(row, "updated_at"));
    }
}
