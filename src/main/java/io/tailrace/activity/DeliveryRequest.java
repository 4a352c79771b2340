package io.tailrace.activity;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a caller wants delivered.
 *
 * @param channelIds one to {@link #MOST_CHANNELS}, no two alike
 * @param outgoing the parts that send it, one a channel, put into the outbox in the same transaction; null: the caller sends by himself
 */
public record DeliveryRequest(
        List<UUID> channelIds,
        String metadataJson,
        @Nullable Outgoing outgoing) {
    public static final int MOST_CHANNELS = 100;

    public DeliveryRequest {
        channelIds = List.copyOf(channelIds);
    }

    /**
     * How the outbox sends it.
     *
     * @param orderingKey null: one of the conversation's own
     * @param payloadJson an object, for every channel the same
     */
    public record Outgoing(
            String botId,
            @Nullable String chatId,
            @Nullable String orderingKey,
            String methodKind,
            String payloadJson) {}
}
