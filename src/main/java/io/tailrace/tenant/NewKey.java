package io.tailrace.tenant;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A key to be made.
 *
 * @param name for people; need not be unique
 * @param scopes at least one
 * @param botIds the only bots it may touch, at least one; null for any
 * @param expiresAt from then on it is refused; null for never
 */
public record NewKey(
        String name,
        Set<Scope> scopes,
        @Nullable Set<String> botIds,
        @Nullable Instant expiresAt) {
    /** Bots one key may be bound to: past that, the binding is not a restriction any more. */
    public static final int MOST_BOTS = 1_000;

    public NewKey {
        Names.require("a key's name", name);
        scopes = Set.copyOf(scopes);
        botIds = botIds == null ? null : Set.copyOf(botIds);
        if (scopes.isEmpty()) {
            throw new IllegalArgumentException("a key needs at least one scope");
        }
        if (botIds != null) {
            if (botIds.isEmpty() || botIds.size() > MOST_BOTS) {
                throw new IllegalArgumentException("a key is bound to 1 to " + MOST_BOTS + " bots, or to none at all");
            }
            botIds.forEach(botId -> Names.require("a bot id", botId));
        }
    }
}
