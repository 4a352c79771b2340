package io.tailrace.wire;

import io.tailrace.outbox.PartId;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Where a list of parts goes on: the last part shown. */
public final class PartCursor {
    private PartCursor() {}

    /** @param list names the list: tenant and selection */
    public static String of(PartId last, String list) {
        return new KeysetCursor(ChronoUnit.MICROS.between(Instant.EPOCH, last.createdAt()), last.id()).text(list);
    }

    /** Empty when it is not a cursor of this list. */
    public static Optional<PartId> parse(String cursor, String list) {
        return KeysetCursor.parse(cursor, list).flatMap(PartCursor::part);
    }

    private static Optional<PartId> part(KeysetCursor cursor) {
        try {
            PartId last = new PartId(cursor.second(), Instant.EPOCH.plus(cursor.first(), ChronoUnit.MICROS));
            // The same numbers as a part's public id: its rules hold here too.
            return PartId.parse(last.opaque());
        } catch (ArithmeticException | DateTimeException e) {
            return Optional.empty();
        }
    }

    /** @throws Rejection when it is not a cursor of this list */
    static PartId require(String cursor, String list) {
        return parse(cursor, list).orElseThrow(KeysetCursor::notOfThisList);
    }
}
