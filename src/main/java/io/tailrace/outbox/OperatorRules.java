package io.tailrace.outbox;

import io.tailrace.outbox.OperatorResult.Refused;
import io.tailrace.outbox.Verdict.Detail;
import io.tailrace.outbox.Verdict.End;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What an operator may do to a part, as decisions without I/O about rows that the asking transaction has locked. */
final class OperatorRules {
    private static final String WRONG_STATE = "wrong_state";

    private OperatorRules() {}

    /** Why a part in flight is not made due now; null when it is. */
    static @Nullable Refused retry(InflightPart part, Instant now) {
        if (part.state() == PartState.LEASED) {
            return leased(part);
        }
        return expired(part.expiresAt(), now);
    }

    /**
     * Why a part that has ended is not brought back; null when it is.
     *
     * @param broken a lower part of its batch that ended other than delivered; null when there is none
     */
    static @Nullable Refused revive(
            StoppedPart part, @Nullable StoppedPart broken, boolean acceptDuplicateRisk, Instant now) {
        if (part.state() == PartState.DELIVERED) {
            return new Refused(WRONG_STATE, "it was delivered");
        }
        Refused expired = expired(part.expiresAt(), now);
        if (expired != null) {
            return expired;
        }
        if (broken != null) {
            return new Refused(
                    WRONG_STATE,
                    "part " + broken.partIndex() + " of its batch ("
                            + broken.id().opaque() + ") ended as "
                            + broken.state().wire() + "; retry that one, which brings back what its end cancelled");
        }
        if (part.state() == PartState.AMBIGUOUS && !part.policy().mayRepeat() && !acceptDuplicateRisk) {
            return new Refused(
                    "duplicate_risk",
                    "it may have gone out; send accept_duplicate_risk to have it sent, perhaps a second time");
        }
        return null;
    }

    /** Why a part in flight is not cancelled; null when it is. */
    static @Nullable Refused cancel(InflightPart part) {
        return part.state() == PartState.LEASED ? leased(part) : null;
    }

    static OperatorResult cancelEnded(PartState state) {
        return state == PartState.CANCELLED
                ? new OperatorResult.Done(state, false)
                : new Refused(WRONG_STATE, "it has ended as " + state.wire());
    }

    static End cancelled(InflightPart part) {
        return new End(
                part,
                PartState.CANCELLED,
                part.lastOutcome() == null ? "cancelled" : part.lastOutcome(),
                Detail.error("cancelled_by_operator", "an operator cancelled it"));
    }

    private static Refused leased(InflightPart part) {
        return new Refused(
                "leased", "a worker has it until " + part.leasedUntil() + "; wait until it was settled or has lapsed");
    }

    private static @Nullable Refused expired(@Nullable Instant expiresAt, Instant now) {
        return expiresAt == null || expiresAt.isAfter(now)
                ? null
                : new Refused(
                        WRONG_STATE,
                        "its expires_at (" + expiresAt + ") has passed, so it would expire again; enqueue it anew under"
                                + " another batch id");
    }
}
