package io.tailrace.tenant;

import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Makes and lists tenants. {@link Tenant#DEFAULT} is there from the first migration on.
 *
 * <p>Every Future fails with {@link DatabaseFailure}. Thread-safe.
 */
public final class Tenants {
    private final TenantStore store;

    public Tenants(Database database) {
        this.store = new TenantStore(database);
    }

    /**
     * Stores a tenant under a name that no other has.
     *
     * @param retentionDays {@link Tenant#SHORTEST_RETENTION_DAYS} to {@link Tenant#LONGEST_RETENTION_DAYS}
     * @throws IllegalArgumentException when {@link Names#problem} has one with the name, or the days are out of range
     */
    public Future<TenantResult> create(String name, int retentionDays) {
        Names.require("a tenant's name", name);
        if (retentionDays < Tenant.SHORTEST_RETENTION_DAYS || retentionDays > Tenant.LONGEST_RETENTION_DAYS) {
            throw new IllegalArgumentException("retention of " + retentionDays + " days is out of range");
        }
        return store.create(name, retentionDays)
                .map(made -> made.isEmpty() ? new TenantResult.NameTaken() : new TenantResult.Created(made.get(0)));
    }

    public Future<Optional<Tenant>> find(UUID id) {
        return store.find(id).map(found -> found.stream().findFirst());
    }

    /**
     * At most {@code limit} tenants by name.
     *
     * @param after the last name of the page before; empty for the first page
     */
    public Future<List<Tenant>> list(String after, int limit) {
        return store.list(after, limit);
    }
}
