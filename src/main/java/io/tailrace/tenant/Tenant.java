package io.tailrace.tenant;

import java.time.Instant;
import java.util.UUID;

/**
 * One owner of data.
 *
 * @param retentionDays how long activities are kept after their month has ended
 */
public record Tenant(UUID id, String name, int retentionDays, Instant createdAt) {
    public static final int DEFAULT_RETENTION_DAYS = 365;
    public static final int SHORTEST_RETENTION_DAYS = 30;
    public static final int LONGEST_RETENTION_DAYS = 36_500;

    /** The one that every installation has, from the first migration on. */
    public static final UUID DEFAULT = new UUID(0, 1);
}
