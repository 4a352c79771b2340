package io.tailrace.outbox;

import io.tailrace.outbox.Verdict.Back;
import io.tailrace.outbox.Verdict.Detail;
import io.tailrace.outbox.Verdict.End;
import io.tailrace.outbox.Verdict.Refused;
import io.tailrace.outbox.Verdict.Replayed;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The life of a lease as decisions without I/O. The rows they judge are locked by the transaction that asks, so what is
 * decided here is what happens.
 */
final class LeaseRules {
    /** last_outcome of a part whose lease ran out; late evidence may still resolve it. */
    static final String LAPSED = "lapsed";

    private LeaseRules() {}

    /** True while {@code token} holds the part: the fence and the deadline, the only place where they are checked. */
    static boolean holds(InflightPart part, long token, Instant now) {
        return part.state() == PartState.LEASED
                && part.token() == token
                && part.leasedUntil() != null
                && part.leasedUntil().isAfter(now);
    }

    /** A worker ends its lease on a part that is in flight. */
    static Verdict settle(InflightPart part, Settlement settlement, Instant now, RetryPolicy policy) {
        if (!holds(part, settlement.lease().token(), now)) {
            return settleWithoutLease(part, settlement);
        }
        if (settlement instanceof Settlement.Delivered delivered) {
            return part.startedAt() == null ? Refused.NOT_STARTED : delivered(part, delivered);
        } else if (settlement instanceof Settlement.Retry retry) {
            return retry(part, retry, now, policy);
        } else if (settlement instanceof Settlement.Throttled throttled) {
            return throttled(part, throttled, now, policy);
        } else if (settlement instanceof Settlement.Release release) {
            return new Back(
                    part,
                    PartState.PENDING,
                    release.outcome(),
                    null,
                    part.attemptCount() - 1,
                    part.throttleCount(),
                    part.rescueCount(),
                    // A worker that gives a part back is alive: the lapses before were not this payload's doing.
                    0,
                    null,
                    Detail.NONE);
        } else if (settlement instanceof Settlement.Ambiguous ambiguous) {
            return part.startedAt() == null
                    ? Refused.NOT_STARTED
                    : new End(part, PartState.AMBIGUOUS, ambiguous.outcome(), Detail.of(ambiguous.failure()));
        }
        Settlement.DeadLetter dead = (Settlement.DeadLetter) settlement;
        return new End(part, PartState.DEAD_LETTER, dead.outcome(), Detail.of(dead.failure()));
    }

    private static Verdict settleWithoutLease(InflightPart part, Settlement settlement) {
        boolean latest = part.token() == settlement.lease().token() && part.state() != PartState.LEASED;
        if (!latest) {
            return Refused.LEASE_LOST;
        }
        if (settlement instanceof Settlement.Delivered delivered && LAPSED.equals(part.lastOutcome())) {
            return part.startedAt() == null ? Refused.NOT_STARTED : delivered(part, delivered);
        }
        return settlement.outcome().equals(part.lastOutcome()) ? new Replayed(part.state()) : Refused.LEASE_LOST;
    }

    private static End delivered(InflightPart part, Settlement.Delivered delivered) {
        return new End(
                part,
                PartState.DELIVERED,
                delivered.outcome(),
                new Detail(
                        null,
                        null,
                        delivered.httpStatus(),
                        delivered.responseKind(),
                        delivered.receiptJson(),
                        delivered.messageIds(),
                        null));
    }

    private static Verdict retry(InflightPart part, Settlement.Retry retry, Instant now, RetryPolicy policy) {
        Verdict end = endOfPatience(part, retry.outcome(), retry.failure(), now, policy);
        if (end != null) {
            return end;
        }
        Instant at = retry.retryAt() != null
                ? retry.retryAt()
                : now.plus(
                        retry.delay() != null
                                ? retry.delay()
                                : RetryPolicy.defaultDelay(part.attemptCount(), part.jitterMs()));
        return new Back(
                part,
                PartState.RETRY_WAIT,
                retry.outcome(),
                at,
                part.attemptCount(),
                part.throttleCount(),
                part.rescueCount(),
                0,
                retry.payloadJson(),
                Detail.of(retry.failure()));
    }

    /** A 429: waits exactly as long as it was told, and spends no attempt. */
    private static Verdict throttled(
            InflightPart part, Settlement.Throttled throttled, Instant now, RetryPolicy policy) {
        if (tooOld(part, now, policy)) {
            return gaveUp(
                    part,
                    throttled.outcome(),
                    throttled.failure(),
                    "it was still not sent after " + policy.rule(part.policy()).maxAge());
        }
        Duration wait = throttled.retryAfter() != null ? throttled.retryAfter() : RetryPolicy.THROTTLE_WITHOUT_HINT;
        return new Back(
                part,
                PartState.RETRY_WAIT,
                throttled.outcome(),
                now.plus(wait),
                part.attemptCount() - 1,
                part.throttleCount() + 1,
                part.rescueCount(),
                0,
                null,
                Detail.of(throttled.failure()));
    }

    private static @Nullable Verdict endOfPatience(
            InflightPart part, String outcome, Settlement.Failure failure, Instant now, RetryPolicy policy) {
        Integer cap = policy.rule(part.policy()).maxAttempts();
        if (tooOld(part, now, policy)) {
            return gaveUp(
                    part,
                    outcome,
                    failure,
                    "it was still not sent after " + policy.rule(part.policy()).maxAge());
        }
        if (cap != null && part.attemptCount() >= cap) {
            return gaveUp(part, outcome, failure, "its " + cap + " attempts are spent");
        }
        return null;
    }

    private static boolean tooOld(InflightPart part, Instant now, RetryPolicy policy) {
        return !now.isBefore(
                part.id().createdAt().plus(policy.rule(part.policy()).maxAge()));
    }

    /** A part that may have gone out must not be called dead: an operator would send it a second time. */
    private static End gaveUp(InflightPart part, String outcome, Settlement.Failure failure, String why) {
        PartState state =
                part.startedAt() != null && !part.policy().mayRepeat() ? PartState.AMBIGUOUS : PartState.DEAD_LETTER;
        String error = failure.error() == null ? "given up: " + why : failure.error() + " (given up: " + why + ")";
        return new End(
                part,
                state,
                outcome,
                Detail.of(new Settlement.Failure(
                        failure.errorClass() == null ? "retries_exhausted" : failure.errorClass(),
                        error,
                        failure.httpStatus())));
    }

    /**
     * A lease ran out without an outcome.
     *
     * @param attemptKnown false when the attempt's row is missing: then it counts as started
     */
    static Verdict lapse(InflightPart part, boolean attemptKnown, Instant now) {
        boolean started = part.startedAt() != null || !attemptKnown;
        if (part.expiresAt() != null && !part.expiresAt().isAfter(now)) {
            return new End(
                    part,
                    PartState.EXPIRED,
                    LAPSED,
                    Detail.error("expired", "its time had passed when its lease lapsed"));
        }
        if (started && !part.policy().mayRepeat()) {
            return new End(
                    part,
                    PartState.AMBIGUOUS,
                    LAPSED,
                    Detail.error("lease_lapsed", "the worker started to send and was not heard of again"));
        }
        int lapses = part.lapses() + 1;
        if (lapses >= RetryPolicy.LAPSES_IN_A_ROW) {
            return new End(
                    part,
                    PartState.DEAD_LETTER,
                    LAPSED,
                    Detail.error(
                            "lease_expired_repeatedly",
                            lapses + " leases in a row lapsed without an outcome; its payload may kill its worker"));
        }
        return new Back(
                part,
                PartState.RETRY_WAIT,
                LAPSED,
                now,
                part.attemptCount(),
                part.throttleCount(),
                part.rescueCount() + 1,
                lapses,
                null,
                Detail.error("lease_lapsed", "the worker was not heard of again"));
    }

    /** The part's time to be sent has passed. */
    static End expire(InflightPart part) {
        return new End(
                part,
                PartState.EXPIRED,
                lastWord(part, "expired"),
                Detail.error("expired", "its time to be sent had passed"));
    }

    /** A part behind one of its batch that ended other than delivered. */
    static End cancel(InflightPart part, long predecessor, PartState how) {
        return new End(
                part,
                PartState.CANCELLED,
                lastWord(part, "cancelled"),
                new Detail(
                        "batch_predecessor_" + how.wire(),
                        "an earlier part of its batch ended as " + how.wire(),
                        null,
                        null,
                        null,
                        List.of(),
                        predecessor));
    }

    /** What its last lease came to stays known: the worker may not have heard the answer and will say it again. */
    private static String lastWord(InflightPart part, String otherwise) {
        return part.lastOutcome() == null ? otherwise : part.lastOutcome();
    }

    /** A worker speaks about a part that has ended. */
    static Verdict settleEnded(EndedPart part, Settlement settlement) {
        if (part.token() != settlement.lease().token()) {
            return Refused.LEASE_LOST;
        }
        if (settlement instanceof Settlement.Delivered delivered
                && part.state() == PartState.AMBIGUOUS
                && LAPSED.equals(part.lastOutcome())) {
            return new Verdict.Late(part, delivered);
        }
        return settlement.outcome().equals(part.lastOutcome()) ? new Replayed(part.state()) : Refused.LEASE_LOST;
    }
}
