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

    /** The id is another tenant's. Said as what it looks like to this one: taken. */
    record Taken() implements ConversationResult {}
}
