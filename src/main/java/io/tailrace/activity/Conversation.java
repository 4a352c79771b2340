package io.tailrace.activity;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One conversation.
 *
 * @param lastSeq of its latest activity as allocated; 0 while it has none
 * @param lastActivityAt null while it has none
 */
public record Conversation(
        UUID id,
        UUID tenantId,
        @Nullable UUID channelId,
        String metadataJson,
        long lastSeq,
        @Nullable Instant lastActivityAt,
        Instant createdAt,
        Instant updatedAt) {}
