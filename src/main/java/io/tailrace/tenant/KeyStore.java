package io.tailrace.tenant;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/** The table {@code api_keys}. Every Future fails with {@link DatabaseFailure}. */
final class KeyStore {
    // Expiry and revocation are judged here and nowhere else: a key that this does not return is no key.
    private static final String READ_LIVE = """
            SELECT key_id, tenant_id, secret_sha256, scopes, bot_ids
              FROM api_keys
             WHERE key_id = ANY ($1::text[])
               AND revoked_at IS NULL
               AND (expires_at IS NULL OR expires_at > (SELECT tailrace_now()))
            """;

    // One statement, so that the tenant cannot go and the expiry cannot pass between the checks and the insert.
    private static final String CREATE = """
            WITH asked AS (
                SELECT EXISTS (SELECT 1 FROM tenants WHERE id = $2::uuid) AS tenant_known,
                       coalesce($7::timestamptz > (SELECT tailrace_now()), true) AS expires_later
            ), made AS (
                INSERT INTO api_keys (key_id, tenant_id, name, secret_sha256, scopes, bot_ids, expires_at)
                SELECT $1::text, $2::uuid, $3::text, $4::bytea, $5::text[], $6::text[], $7::timestamptz
                  FROM asked
                 WHERE tenant_known AND expires_later
                RETURNING key_id, tenant_id, name, scopes, bot_ids, created_at, expires_at, revoked_at
            )
            SELECT asked.tenant_known, asked.expires_later, made.*
              FROM asked LEFT JOIN made ON true
            """;

    private static final String LIST = """
            SELECT key_id, tenant_id, name, scopes, bot_ids, created_at, expires_at, revoked_at
              FROM api_keys
             WHERE tenant_id = $1::uuid
               AND key_id > $2::text
             ORDER BY key_id
             LIMIT $3::int
            """;

    // The first revocation's time stays, so that revoking twice is the same as once.
    private static final String REVOKE = """
            UPDATE api_keys
               SET revoked_at = coalesce(revoked_at, (SELECT tailrace_now()))
             WHERE key_id = $1::text
            """;

    private final Database database;

    KeyStore(Database database) {
        this.database = database;
    }

    /** Those of the ids that are live keys now, by id. */
    Future<Map<String, LiveKey>> readLive(List<String> keyIds) {
        return execute(READ_LIVE, Tuple.of(keyIds.toArray(String[]::new))).map(rows -> {
            Map<String, LiveKey> live = new HashMap<>();
            rows.forEach(row -> live.put(row.getString("key_id"), liveKey(row)));
            return live;
        });
    }

    Future<KeyResult> create(UUID tenantId, KeyText text, NewKey key) {
        Tuple values = Tuple.tuple()
                .addString(text.keyId())
                .addUUID(tenantId)
                .addString(key.name())
                .addBuffer(Buffer.buffer(text.secretSha256()))
                .addArrayOfString(
                        key.scopes().stream().map(Scope::code).sorted().toArray(String[]::new))
                .addValue(
                        key.botIds() == null
                                ? null
                                : key.botIds().stream().sorted().toArray(String[]::new))
                .addValue(key.expiresAt() == null ? null : key.expiresAt().atOffset(ZoneOffset.UTC));
        return execute(CREATE, values).map(rows -> {
            Row row = rows.iterator().next();
            if (!row.getBoolean("tenant_known")) {
                return new KeyResult.UnknownTenant();
            }
            return row.getBoolean("expires_later")
                    ? new KeyResult.Created(text.whole(), apiKey(row))
                    : new KeyResult.AlreadyExpired();
        });
    }

    /** At most {@code limit} keys with an id after {@code after}, by id. */
    Future<List<ApiKey>> list(UUID tenantId, String after, int limit) {
        return execute(LIST, Tuple.of(tenantId, after, limit))
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(KeyStore::apiKey)
                        .toList());
    }

    /** False when there is no such key. */
    Future<Boolean> revoke(String keyId) {
        return execute(REVOKE, Tuple.of(keyId)).map(rows -> rows.rowCount() > 0);
    }

    private Future<RowSet<Row>> execute(String sql, Tuple values) {
        return database.service()
                .preparedQuery(sql)
                .execute(values)
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    private static LiveKey liveKey(Row row) {
        Caller caller = new Caller(row.getUUID("tenant_id"), row.getString("key_id"), scopes(row), botIds(row));
        return new LiveKey(row.getBuffer("secret_sha256").getBytes(), caller);
    }

    private static ApiKey apiKey(Row row) {
        return new ApiKey(
                row.getString("key_id"),
                row.getUUID("tenant_id"),
                row.getString("name"),
                scopes(row),
                botIds(row),
                row.getOffsetDateTime("created_at").toInstant(),
                instant(row, "expires_at"),
                instant(row, "revoked_at"));
    }

    private static Set<Scope> scopes(Row row) {
        return Arrays.stream(row.getArrayOfStrings("scopes"))
                .map(code -> Scope.of(code).orElseThrow())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static @Nullable Set<String> botIds(Row row) {
        String[] ids = row.getArrayOfStrings("bot_ids");
        return ids == null ? null : Set.of(ids);
    }

    private static @Nullable Instant instant(Row row, String column) {
        OffsetDateTime at = row.getOffsetDateTime(column);
        return at == null ? null : at.toInstant();
    }
}
