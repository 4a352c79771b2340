package io.tailrace.outbox.model;

/** One step of a walk. An operator's retry and cancel join here once they exist. */
sealed interface Action {
    /** The first {@code parts} parts of a batch: its first enqueue, a replay, or one that adds parts. */
    record Enqueue(String batch, int parts) implements Action {}

    /** The batch again, with its first part changed. */
    record Conflict(String batch) implements Action {}

    record Claim(int limit) implements Action {}

    /** A start by the part's latest token. */
    record Start(String part) implements Action {}

    /** A settlement by the part's latest token, or by the one before. */
    record Settle(String part, Word word, boolean latest) implements Action {}

    record Rescue() implements Action {}

    record Expire() implements Action {}

    /** The clock moves on by a tick, past every lease and most delays; or past the age at which retries end. */
    record Wait(boolean day) implements Action {}

    /** What a worker may say; {@code outcome} as it goes over the wire, by which a repetition is recognised. */
    enum Word {
        DELIVERED("delivered"),
        RETRY("retry"),
        THROTTLED("retry"),
        THROTTLED_BOT("retry"),
        RELEASE("release"),
        AMBIGUOUS("ambiguous"),
        DEAD_LETTER("dead_letter");

        final String outcome;

        Word(String outcome) {
            this.outcome = outcome;
        }
    }
}
