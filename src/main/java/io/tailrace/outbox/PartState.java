package io.tailrace.outbox;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** Where a part is in its life. Mirrored by CHECKs on both outbox tables; a test compares them. */
public enum PartState {
    PENDING,
    LEASED,
    RETRY_WAIT,
    DELIVERED,
    AMBIGUOUS,
    DEAD_LETTER,
    EXPIRED,
    CANCELLED;

    /** The states in which a part still has to go out. */
    public static final Set<PartState> IN_FLIGHT = EnumSet.of(PENDING, LEASED, RETRY_WAIT);

    public boolean inFlight() {
        return IN_FLIGHT.contains(this);
    }

    /** The legal moves; an operator's retry may bring back every end but delivered. */
    public boolean canBecome(PartState next) {
        return switch (this) {
            case PENDING -> next == LEASED || next == EXPIRED || next == CANCELLED;
            case LEASED -> next != LEASED && next != CANCELLED;
            case RETRY_WAIT ->
                next == LEASED || next == DELIVERED || next == EXPIRED || next == CANCELLED || next == PENDING;
            case AMBIGUOUS -> next == DELIVERED || next == PENDING;
            case DEAD_LETTER, EXPIRED, CANCELLED -> next == PENDING;
            case DELIVERED -> false;
        };
    }

    /** As in JSON and in the database. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException when there is no such state */
    public static PartState of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
