package io.tailrace.wire;

import java.util.Optional;
import java.util.UUID;

/** UUIDs in text: the one form of RFC 9562, in either case. */
public final class Uuids {
    private static final int LENGTH = 36;

    private Uuids() {}

    /** Empty when it is none. */
    public static Optional<UUID> parse(String text) {
        if (text.length() != LENGTH) {
            return Optional.empty();
        }
        try {
            UUID uuid = UUID.fromString(text);
            // The JDK also takes groups of other lengths.
            return uuid.toString().equalsIgnoreCase(text) ? Optional.of(uuid) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
