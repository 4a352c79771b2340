package io.tailrace.outbox;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parts enqueued together under a caller's batch id. Made by the edges after they have checked shape and limits
 * ({@link BatchRules}).
 *
 * @param batchId at most 512 characters; with the tenant it identifies the batch
 * @param parts in part order; a part's index is its position
 */
public record Batch(
        String batchId, List<Part> parts, @Nullable String traceparent) {
    /** What a caller wants sent. Immutable once stored, but for payload, state and available_at. */
    public record Part(
            String botId,
            @Nullable String chatId,
            @Nullable String threadId,
            String orderingKey,
            @Nullable String causationUpdateId,
            @Nullable String dialogJobId,
            @Nullable String triggerMessageId,
            String methodKind,
            int payloadVersion,
            String payloadJson,
            @Nullable Blob blob,
            DeliveryPolicy deliveryPolicy,
            boolean isProtected,
            int priority,
            @Nullable Instant availableAt,
            @Nullable Instant expiresAt) {}

    /** A reference to bytes sent ahead. {@code sha256} in 64 lower-case hex digits. */
    public record Blob(
            String sha256,
            @Nullable String mediaType,
            @Nullable String fileName) {}

    public Batch {
        parts = List.copyOf(parts);
    }

    /** About the bytes it holds, for queue bounds. */
    public int weight() {
        int weight = batchId.length() + 64;
        for (Part part : parts) {
            weight += part.payloadJson().length() + 256;
        }
        return weight;
    }
}
