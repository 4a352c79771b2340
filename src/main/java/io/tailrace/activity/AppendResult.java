package io.tailrace.activity;

/** What an append came to. */
public sealed interface AppendResult {
    /** Committed as a new activity. */
    record Stored(Activity activity) implements AppendResult {}

    /** The same activity was stored before under its key; this is that one. */
    record Replayed(Activity activity) implements AppendResult {}

    /**
     * Another activity was stored under its key; nothing was stored.
     *
     * @param pointer the field that differs (RFC 6901)
     */
    record Conflict(String pointer) implements AppendResult {}

    /** The tenant has no such conversation, or it is being deleted; nothing was stored. */
    record NoConversation() implements AppendResult {}
}
