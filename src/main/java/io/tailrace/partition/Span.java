package io.tailrace.partition;

import java.time.Instant;

/**
 * A stretch of time, half-open: {@code from} belongs to it, {@code to} does not.
 *
 * <p>{@link Instant#MIN} and {@link Instant#MAX} stand for a bound that is not there (MINVALUE, MAXVALUE, infinity).
 */
public record Span(Instant from, Instant to) implements Comparable<Span> {
    public Span {
        if (!from.isBefore(to)) {
            throw new IllegalArgumentException("a span must end after it begins: " + from + " to " + to);
        }
    }

    public boolean contains(Instant instant) {
        return !instant.isBefore(from) && instant.isBefore(to);
    }

    public boolean overlaps(Span other) {
        return from.isBefore(other.to) && other.from.isBefore(to);
    }

    /** By beginning, then by end. */
    @Override
    public int compareTo(Span other) {
        int byFrom = from.compareTo(other.from);
        return byFrom != 0 ? byFrom : to.compareTo(other.to);
    }

    /** For people: {@code 2026-11-30T00:00:00Z to 2026-12-01T00:00:00Z}. */
    @Override
    public String toString() {
        return (from.equals(Instant.MIN) ? "the beginning of time" : from) + " to "
                + (to.equals(Instant.MAX) ? "the end of time" : to);
    }
}
