package io.tailrace.activity;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One activity going out on one channel. Lives in its activity's month, whenever it was made. */
public record Delivery(
        UUID id,
        UUID tenantId,
        UUID activityId,
        Instant activityInsertedAt,
        UUID channelId,
        DeliveryStatus status,
        int attempts,
        @Nullable String lastError,
        @Nullable Instant sentAt,
        @Nullable Instant deliveredAt,
        @Nullable Instant readAt,
        @Nullable String providerMessageId,
        String metadataJson,
        Instant insertedAt,
        Instant updatedAt) {}
