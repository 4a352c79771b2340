package io.tailrace.activity;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * How far a delivery has come (ACT-10): pending, sent, delivered, read, in this order, skips allowed; failed from all but read;
 * from failed only delivered or read, which a provider says of what it had given up.
 */
public enum DeliveryStatus {
    PENDING,
    SENT,
    DELIVERED,
    READ,
    FAILED;

    /** Whether a receipt may move a delivery from this status to {@code next}. */
    public boolean canBecome(DeliveryStatus next) {
        return switch (this) {
            case PENDING -> next != PENDING;
            case SENT -> next == DELIVERED || next == READ || next == FAILED;
            case DELIVERED -> next == READ || next == FAILED;
            case READ -> false;
            case FAILED -> next == DELIVERED || next == READ;
        };
    }

    /** As in JSON and in the database. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<DeliveryStatus> of(String wire) {
        return Arrays.stream(values())
                .filter(status -> status.wire().equals(wire))
                .findFirst();
    }
}
