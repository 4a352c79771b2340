package io.tailrace.tenant;

import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whoever presented a live key.
 *
 * @param botIds the only bots this key may touch; null when it is not bound to any
 */
public record Caller(
        UUID tenantId,
        String keyId,
        Set<Scope> scopes,
        @Nullable Set<String> botIds) {
    public Caller {
        scopes = Set.copyOf(scopes);
        botIds = botIds == null ? null : Set.copyOf(botIds);
    }

    public boolean has(Scope scope) {
        return scopes.contains(scope);
    }

    /** Whether the key is unbound or bound to this bot. */
    public boolean mayUse(String botId) {
        return botIds == null || botIds.contains(botId);
    }
}
