package io.tailrace.activity;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An activity on its way into the log. Its edge has checked shapes and limits ({@link ActivityRules}).
 *
 * @param attachmentsJson an array, exactly as it came
 * @param metadataJson an object, exactly as it came
 * @param idempotencyKey stored once a conversation; null: stored each time it is sent
 * @param traceparent W3C; null when the caller sent none
 */
public record NewActivity(
        UUID conversationId,
        String type,
        String sender,
        @Nullable String text,
        String attachmentsJson,
        String metadataJson,
        @Nullable String idempotencyKey,
        @Nullable String traceparent) {
    /** What it weighs in a queue, in bytes, roughly. */
    public int weight() {
        return 200
                + attachmentsJson.length()
                + metadataJson.length()
                + (text == null ? 0 : text.length())
                + type.length()
                + sender.length();
    }
}
