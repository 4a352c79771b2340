package io.tailrace.outbox;

import java.util.Locale;

/** What a second delivery of the same part would mean, which decides what a lapse after the start may do. */
public enum DeliveryPolicy {
    /** A second send makes a second message: never sent again by itself once it may have gone out. */
    CREATE,
    /** The target is named (an edit, a deletion): sending twice does no harm. */
    TARGET_IDEMPOTENT,
    /** A typing notice: of no consequence. */
    EPHEMERAL,
    /** As CREATE, with money behind it. */
    FINANCIAL;

    /** True when a part that may already have gone out can be sent again without asking. */
    public boolean mayRepeat() {
        return this == TARGET_IDEMPOTENT || this == EPHEMERAL;
    }

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException when there is no such policy */
    public static DeliveryPolicy of(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}
