package io.tailrace.wire;

import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartQueries;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.PartView;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list of parts: what to ask for, and the answer with where the next page begins.
 *
 * @param botIds null: of any bot
 * @param before the last part of the page before; null for the first page
 * @param include which of what is hidden to show
 */
public record PartPage(
        UUID tenant,
        @Nullable PartState state,
        @Nullable Set<String> botIds,
        @Nullable PartId before,
        int limit,
        Set<String> include) {
    public static final int DEFAULT_LIMIT = 100;
    public static final int MAX_LIMIT = 500;
    public static final List<String> STATES =
            Arrays.stream(PartState.values()).map(PartState::wire).toList();

    /**
     * @param cursor as a page before this one gave it out; null for the first page
     * @throws Rejection when no page of this list gave it out
     */
    public static PartPage of(
            UUID tenant,
            @Nullable PartState state,
            @Nullable Set<String> botIds,
            @Nullable String cursor,
            int limit,
            Set<String> include) {
        PartId before = cursor == null ? null : PartCursor.require(cursor, list(tenant, state, botIds));
        return new PartPage(tenant, state, botIds, before, limit, include);
    }

    private static String list(UUID tenant, @Nullable PartState state, @Nullable Set<String> botIds) {
        return tenant + "\n" + state + "\n" + (botIds == null ? "" : new TreeSet<>(botIds));
    }

    /** One more than is shown: it tells whether there is more. */
    public PartQueries.Selection selection() {
        return new PartQueries.Selection(state, botIds, before, limit + 1);
    }

    /** Whether what is hidden has to be read at all. */
    public boolean withContent() {
        return !include.isEmpty();
    }

    /** @param found for {@link #selection()} */
    public Reply reply(List<PartView> found) {
        List<PartView> shown = found.subList(0, Math.min(limit, found.size()));
        String next =
                found.size() > limit ? PartCursor.of(shown.get(limit - 1).id(), list(tenant, state, botIds)) : null;
        return Reply.done(out -> {
            out.writeStartObject();
            PartViewWriter.parts(out, "items", shown, include);
            out.writeStringField("next", next);
            out.writeEndObject();
        });
    }
}
