package io.tailrace.tenant;

import java.time.Instant;
import java.util.UUID;

/** One owner of data. */
public record Tenant(UUID id, String name, Instant createdAt) {
    /** The one that every installation has, from the first migration on. */
    public static final UUID DEFAULT = new UUID(0, 1);
}
