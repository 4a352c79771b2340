package io.tailrace.tenant;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A key as it may be shown: everything about it but its secret, which nobody has any more. */
public record ApiKey(
        String keyId,
        UUID tenantId,
        String name,
        Set<Scope> scopes,
        @Nullable Set<String> botIds,
        Instant createdAt,
        @Nullable Instant expiresAt,
        @Nullable Instant revokedAt) {
    public ApiKey {
        scopes = Set.copyOf(scopes);
        botIds = botIds == null ? null : Set.copyOf(botIds);
    }
}
