package io.tailrace.activity;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One stored activity.
 *
 * @param id a UUIDv7 that carries the millisecond of {@code insertedAt}
 * @param seq its place in its conversation: 1, 2, 3 … as allocated
 * @param attachmentsJson an array, as PostgreSQL writes jsonb
 * @param metadataJson an object, as PostgreSQL writes jsonb
 * @param insertedAt PostgreSQL's clock after the conversation's lock, in microseconds; goes up with seq
 */
public record Activity(
        UUID id,
        UUID tenantId,
        UUID conversationId,
        long seq,
        String type,
        String sender,
        @Nullable String text,
        String attachmentsJson,
        String metadataJson,
        @Nullable String idempotencyKey,
        Instant insertedAt) {}
