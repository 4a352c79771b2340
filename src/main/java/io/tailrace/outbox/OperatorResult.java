package io.tailrace.outbox;

/** What an operator's word about one part came to. */
public sealed interface OperatorResult {
    /**
     * The part is in this state now.
     *
     * @param changed false when it was so before
     */
    record Done(PartState state, boolean changed) implements OperatorResult {}

    /**
     * Nothing changed.
     *
     * @param code {@code not_found}, {@code leased}, {@code duplicate_risk}, {@code day_closed} or {@code wrong_state}
     */
    record Refused(String code, String detail) implements OperatorResult {
        static final Refused NOT_FOUND = new Refused("not_found", "there is no such part");
        static final Refused DAY_CLOSED = new Refused(
                "day_closed",
                "the day of this part, or of one that its end had cancelled, is just being removed; nothing of it can be"
                        + " brought back");
    }
}
