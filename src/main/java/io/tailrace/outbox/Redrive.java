package io.tailrace.outbox;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An operator's order about many parts, worked off in id order at the rate asked for.
 *
 * @param state in which parts are when it is ordered and when their turn comes
 * @param since enqueued at or after; null: of any age
 * @param ratePerSecond 1 to {@link #MAX_RATE}
 */
public record Redrive(
        Action action,
        PartState state,
        @Nullable String botId,
        @Nullable String errorClass,
        @Nullable Instant since,
        boolean acceptDuplicateRisk,
        int ratePerSecond) {
    public static final int MAX_RATE = 100;

    /** What is done to each part, and to parts in which states it can be done. */
    public enum Action {
        RETRY,
        CANCEL;

        private static final Set<PartState> RETRIED = EnumSet.of(
                PartState.DEAD_LETTER,
                PartState.AMBIGUOUS,
                PartState.EXPIRED,
                PartState.CANCELLED,
                PartState.RETRY_WAIT);
        private static final Set<PartState> CANCELLED = EnumSet.of(PartState.PENDING, PartState.RETRY_WAIT);

        public Set<PartState> states() {
            return this == RETRY ? RETRIED : CANCELLED;
        }

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What an order came to.
     *
     * @param risky of those matched: will be skipped, because they may have gone out and the risk was not accepted
     * @param id null for a dry run, and when nothing matched
     */
    public record Ordered(
            long matched, long risky, @Nullable UUID id) {}

    /**
     * How far it is.
     *
     * @param skipped refused when their turn came
     * @param skippedRisk of them: with {@code duplicate_risk}
     * @param finishedAt null while it runs
     */
    public record Progress(
            UUID id,
            Redrive order,
            long matched,
            long done,
            long skipped,
            long skippedRisk,
            Instant createdAt,
            @Nullable Instant finishedAt) {}
}
