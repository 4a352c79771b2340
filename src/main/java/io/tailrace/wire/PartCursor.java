package io.tailrace.wire;

import io.tailrace.outbox.PartId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Optional;

/**
 * Where a list goes on: the last part shown, bound to whose list it is and what it selects. The check is against
 * mistakes, a cursor of another list or one cut short; there is nothing to be gained by forging one.
 */
public final class PartCursor {
    private static final int CHECK_BYTES = 8;
    private static final int BYTES = 16 + CHECK_BYTES;

    private PartCursor() {}

    /** @param list names the list: tenant and selection */
    public static String of(PartId last, String list) {
        byte[] bytes = ByteBuffer.allocate(BYTES)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, last.createdAt()))
                .putLong(last.id())
                .put(check(last, list))
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Empty when it is not a cursor of this list. */
    public static Optional<PartId> parse(String cursor, String list) {
        // A part's public id has the same first sixteen bytes: its rules hold here too.
        if (cursor.length() != BYTES * 4 / 3) {
            return Optional.empty();
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(cursor));
            PartId last = new PartId(bytes.getLong(8), Instant.EPOCH.plus(bytes.getLong(0), ChronoUnit.MICROS));
            return PartId.parse(last.opaque()).filter(it -> of(it, list).equals(cursor));
        } catch (IllegalArgumentException | ArithmeticException | java.time.DateTimeException e) {
            return Optional.empty();
        }
    }

    /** @throws Rejection when it is not a cursor of this list */
    static PartId require(String cursor, String list) {
        return parse(cursor, list).orElseThrow(() -> Problem.outside(
                        ProblemCode.MALFORMED, "query cursor", "is not one that this list gave out")
                .rejection());
    }

    private static byte[] check(PartId last, String list) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((list + "\n" + last.opaque()).getBytes(StandardCharsets.UTF_8));
            return java.util.Arrays.copyOf(digest, CHECK_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
