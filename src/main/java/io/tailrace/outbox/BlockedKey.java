package io.tailrace.outbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A part that others wait behind although they are due (OUT-32).
 *
 * @param since when it came into this state
 * @param until when its lease ends, or it is due; it may well go on holding its key then
 * @param waiting due parts behind it on its key and in its batch, counted up to {@link #MOST_COUNTED}
 */
public record BlockedKey(
        PartId id,
        String batchId,
        int partIndex,
        String botId,
        String orderingKey,
        PartState state,
        int attemptCount,
        @Nullable String lastErrorClass,
        Instant since,
        Instant until,
        int waiting) {
    public static final int MOST_COUNTED = 1_000;
}
