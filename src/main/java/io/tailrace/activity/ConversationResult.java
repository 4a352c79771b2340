package io.tailrace.activity;

/** What making a conversation came to. */
public sealed interface ConversationResult {
    record Created(Conversation conversation) implements ConversationResult {}

    /** It was there; nothing was changed. */
    record Existing(Conversation conversation) implements ConversationResult {}

    /** This id was deleted, and is never accepted again. */
    record Deleted() implements ConversationResult {}

    /** The tenant has no such channel. */
    record NoChannel() implements ConversationResult {}

    /** The tenant is being deleted. */
    record NoTenant() implements ConversationResult {}

    /** The id is another tenant's. All that this one learns is that it is taken. */
    record Taken() implements ConversationResult {}
}
