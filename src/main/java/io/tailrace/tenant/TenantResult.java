package io.tailrace.tenant;

/** What making a tenant came to. */
public sealed interface TenantResult {
    /** Stored. */
    record Created(Tenant tenant) implements TenantResult {}

    /** Another tenant has this name; nothing was stored. */
    record NameTaken() implements TenantResult {}
}
