package io.tailrace.tenant;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.UUID;
import java.util.stream.StreamSupport;

/** The table {@code tenants}. Every Future fails with {@link DatabaseFailure}. */
final class TenantStore {
    private static final String CREATE = """
            INSERT INTO tenants (id, name, retention_days)
            VALUES (gen_random_uuid(), $1::text, $2::integer)
            ON CONFLICT (name) DO NOTHING
            RETURNING id, name, retention_days, created_at
            """;

    private static final String FIND = "SELECT id, name, retention_days, created_at FROM tenants WHERE id = $1::uuid";

    private static final String LIST = """
            SELECT id, name, retention_days, created_at
              FROM tenants
             WHERE name > $1::text
             ORDER BY name
             LIMIT $2::int
            """;

    private final Database database;

    TenantStore(Database database) {
        this.database = database;
    }

    /** The new tenant; none when the name is taken. */
    Future<List<Tenant>> create(String name, int retentionDays) {
        return execute(CREATE, Tuple.of(name, retentionDays));
    }

    /** The tenant, or none. */
    Future<List<Tenant>> find(UUID id) {
        return execute(FIND, Tuple.of(id));
    }

    /** At most {@code limit} tenants with a name after {@code after}, by name. */
    Future<List<Tenant>> list(String after, int limit) {
        return execute(LIST, Tuple.of(after, limit));
    }

    private Future<List<Tenant>> execute(String sql, Tuple values) {
        return database.service()
                .preparedQuery(sql)
                .execute(values)
                .map(rows -> StreamSupport.stream(rows.spliterator(), false)
                        .map(TenantStore::tenant)
                        .toList())
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    private static Tenant tenant(Row row) {
        return new Tenant(
                row.getUUID("id"),
                row.getString("name"),
                row.getInteger("retention_days"),
                row.getOffsetDateTime("created_at").toInstant());
    }
}
