package io.tailrace.activity;

import java.util.Optional;
import java.util.UUID;

/** Conversations that somebody follows while they go on. Thread-safe. */
public interface LiveConversations {
    /** Whoever follows one. Called from any thread; returns at once and throws nothing. */
    interface Follower {
        /** All up to this seq is known to it. */
        long seen();

        /** There may be more: everything up to {@code upTo} is committed, and perhaps more than that. */
        void nudge(long upTo);

        /** There is no such conversation any more. */
        void gone();

        /** This instance stops; another one goes on after {@link #seen()}. */
        void end();
    }

    /**
     * Nudges from now on, also about what other instances append, within about a second.
     *
     * @return what ends it, to be run once; empty when too many follow already, or the instance stops
     */
    Optional<Runnable> follow(UUID conversation, Follower follower);
}
