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
 * @param orderingKey null: of any key
 * @param batchId null: of any batch
 * @param before the last part of the page before; null for the first page
 * @param include which of what is hidden to show
 */
public record PartPage(
        UUID tenant,
        @Nullable PartState state,
        @Nullable Set<String> botIds,
        @Nullable String orderingKey,
        @Nullable String batchId,
        @Nullable PartId before,
        int limit,
        Set<String> include) {
    public static final int DEFAULT_LIMIT = 100;
    public static final int MAX_LIMIT = 500;
    public static final List<String> STATES =
            Arrays.stream(PartState.values()).map(PartState::wire).toList();

    /**
     * Of any key and batch.
     *
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
        return new PartPage(tenant, state, botIds, null, null, null, limit, include).from(cursor);
    }

    /**
     * The page of this list that begins there.
     *
     * @throws Rejection when no page of this list gave it out
     */
    public PartPage from(@Nullable String cursor) {
        PartId start = cursor == null ? null : PartCursor.require(cursor, list());
        return new PartPage(tenant, state, botIds, orderingKey, batchId, start, limit, include);
    }

    private String list() {
        String basic = tenant + "\n" + state + "\n" + (botIds == null ? "" : new TreeSet<>(botIds));
        return orderingKey == null && batchId == null ? basic : basic + "\n" + batchId + "\n" + orderingKey;
    }

    /** One more than is shown: it tells whether there is more. */
    public PartQueries.Selection selection() {
        return new PartQueries.Selection(state, botIds, orderingKey, batchId, before, limit + 1);
    }

    /** Whether what is hidden has to be read at all. */
    public boolean withContent() {
        return !include.isEmpty();
    }

    /** Where the next page begins; null when there is none. */
    public @Nullable String next(List<PartView> found) {
        return found.size() > limit ? PartCursor.of(found.get(limit - 1).id(), list()) : null;
    }

    /** @param found for {@link #selection()} */
    public Reply reply(List<PartView> found) {
        List<PartView> shown = shown(found);
        String next = next(found);
        return Reply.done(out -> {
            out.writeStartObject();
            PartViewWriter.parts(out, "items", shown, include);
            out.writeStringField("next", next);
            out.writeEndObject();
        });
    }

    /** Without the one that only tells that there is more. */
    public List<PartView> shown(List<PartView> found) {
        return found.subList(0, Math.min(limit, found.size()));
    }
}
