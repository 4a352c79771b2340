package io.tailrace.tenant;

import io.tailrace.config.Secret;

/** What making a key came to. */
public sealed interface KeyResult {
    /**
     * Stored.
     *
     * @param key what callers present; this is the only time it can be seen
     */
    record Created(Secret key, ApiKey stored) implements KeyResult {}

    /** There is no such tenant. */
    record UnknownTenant() implements KeyResult {}

    /** {@code expires_at} is not in the future of PostgreSQL's clock. */
    record AlreadyExpired() implements KeyResult {}
}
