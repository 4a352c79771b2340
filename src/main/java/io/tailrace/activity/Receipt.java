package io.tailrace.activity;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a provider says of a delivery: named by its id, or by the channel and the provider's own id of the message.
 *
 * @param at when the provider says it happened; null: now
 */
public record Receipt(
        @Nullable UUID deliveryId,
        @Nullable UUID channelId,
        @Nullable String providerMessageId,
        DeliveryStatus status,
        @Nullable String error,
        @Nullable Instant at) {}
