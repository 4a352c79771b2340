package io.tailrace.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a sender ends a lease. */
public sealed interface Settlement {
    Lease lease();

    /** The provider has it. {@code receiptJson} is kept as it came. */
    record Delivered(
            Lease lease,
            List<String> messageIds,
            @Nullable String receiptJson,
            @Nullable String responseKind,
            @Nullable Integer httpStatus)
            implements Settlement {}

    /**
     * Not now. At most one of {@code delay}, {@code retryAt}; neither: the default delay.
     *
     * @param payloadJson replaces what is to be sent, when given
     */
    record Retry(
            Lease lease,
            @Nullable Duration delay,
            @Nullable Instant retryAt,
            @Nullable String payloadJson,
            Failure failure)
            implements Settlement {}

    /** The provider said 429. {@code retryAfter} null: 60 s. {@code wholeBot}: nothing of this bot goes out meanwhile. */
    record Throttled(Lease lease, @Nullable Duration retryAfter, boolean wholeBot, Failure failure)
            implements Settlement {}

    /** Handed back unsent; spends no attempt. */
    record Release(Lease lease) implements Settlement {}

    /** It may or may not have gone out. */
    record Ambiguous(Lease lease, Failure failure) implements Settlement {}

    /** It will never go out. */
    record DeadLetter(Lease lease, Failure failure) implements Settlement {}

    /** What went wrong, as far as the sender says. */
    record Failure(
            @Nullable String errorClass,
            @Nullable String error,
            @Nullable Integer httpStatus) {
        public static final Failure NONE = new Failure(null, null, null);
    }

    /** As in JSON, and as kept in last_outcome to recognise a repetition. */
    default String outcome() {
        if (this instanceof Delivered) {
            return "delivered";
        } else if (this instanceof Release) {
            return "release";
        } else if (this instanceof Ambiguous) {
            return "ambiguous";
        } else if (this instanceof DeadLetter) {
            return "dead_letter";
        }
        return "retry";
    }
}
