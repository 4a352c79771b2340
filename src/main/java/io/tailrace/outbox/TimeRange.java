package io.tailrace.outbox;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collection;

/**
 * The UTC days that a statement may touch, as a literal condition.
 *
 * <p>Literal, because a cached plan with parameters keeps, and at each execution locks, every partition; whole days, so
 * that the text changes once a day and stays in the prepared-statement cache.
 */
record TimeRange(Instant from, Instant to) {
    /** The whole days around the given instants, which must not be none. */
    static TimeRange around(Collection<Instant> instants) {
        Instant first = instants.stream().min(Instant::compareTo).orElseThrow();
        Instant last = instants.stream().max(Instant::compareTo).orElseThrow();
        return new TimeRange(
                first.truncatedTo(ChronoUnit.DAYS),
                last.truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS));
    }

    /** {@code (column >= '…' AND column < '…')}. */
    String condition(String column) {
        return "(" + column + " >= '" + literal(from) + "' AND " + column + " < '" + literal(to) + "')";
    }

    private static String literal(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC).toLocalDateTime() + "+00";
    }
}
