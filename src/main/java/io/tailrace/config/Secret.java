package io.tailrace.config;

/** A value that never prints: {@link #toString()} hides it, {@link #reveal()} is for the one place that needs it. */
public record Secret(String reveal) {
    public boolean isEmpty() {
        return reveal.isEmpty();
    }

    @Override
    public String toString() {
        return "********";
    }
}
