package io.tailrace.wire;

import io.tailrace.outbox.BlockedKey;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One page of the keys that others wait behind: what to ask for, and the answer with where the next page begins.
 *
 * @param botIds null: of any bot
 * @param after the number of the last part of the page before; 0 for the first page
 */
public record BlockedPage(UUID tenant, @Nullable Set<String> botIds, long after, int limit) {
    public static final int DEFAULT_LIMIT = 100;
    public static final int MAX_LIMIT = 500;

    /**
     * @param cursor as a page before this one gave it out; null for the first page
     * @throws Rejection when no page of this list gave it out
     */
    public static BlockedPage of(UUID tenant, @Nullable Set<String> botIds, @Nullable String cursor, int limit) {
        long after = cursor == null
                ? 0
                : PartCursor.require(cursor, list(tenant, botIds)).id();
        return new BlockedPage(tenant, botIds, after, limit);
    }

    private static String list(UUID tenant, @Nullable Set<String> botIds) {
        return tenant + "\nblocked\n" + (botIds == null ? "" : new TreeSet<>(botIds));
    }

    /** One more than is shown: it tells whether there is more. */
    public int wanted() {
        return limit + 1;
    }

    /** Without the one that only tells that there is more. */
    public List<BlockedKey> shown(List<BlockedKey> found) {
        return found.subList(0, Math.min(limit, found.size()));
    }

    /** Where the next page begins; null when there is none. */
    public @Nullable String next(List<BlockedKey> found) {
        return found.size() > limit ? PartCursor.of(found.get(limit - 1).id(), list(tenant, botIds)) : null;
    }

    /** @param found at most {@link #wanted()} */
    public Reply reply(List<BlockedKey> found) {
        List<BlockedKey> shown = shown(found);
        String next = next(found);
        return Reply.done(out -> {
            out.writeStartObject();
            out.writeArrayFieldStart("items");
            for (BlockedKey key : shown) {
                OperatorWriter.blocked(out, key);
            }
            out.writeEndArray();
            out.writeStringField("next", next);
            out.writeEndObject();
        });
    }
}
