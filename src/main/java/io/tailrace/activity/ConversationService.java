package io.tailrace.activity;

import io.vertx.core.Future;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Conversations, as every edge sees them. Failures and threads are {@link ActivityService}'s. */
public interface ConversationService {
    /**
     * Makes a conversation, or finds the one of that id.
     *
     * @param id the caller's own, any UUID; null: one is made
     * @param channel a channel of the tenant; null: none
     */
    Future<ConversationResult> create(UUID tenant, @Nullable UUID id, @Nullable UUID channel, String metadataJson);

    /** Empty when the tenant has no such conversation, or it is being deleted. */
    Future<Optional<Conversation>> find(UUID tenant, UUID id);

    /**
     * Marks it, leaves a tombstone and enqueues its purge, in one transaction: from its commit on there is no such conversation
     * (ACT-11). Returns at once, whatever its size.
     */
    Future<DeleteResult> delete(UUID tenant, UUID id);
}
