package io.tailrace.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;

/**
 * Where a list goes on: two numbers that say what was shown last, bound to whose list it is and what it selects. The check is
 * against mistakes, a cursor of another list or one cut short; there is nothing to be gained by forging one.
 *
 * @param first by which the list is cut, such as a time in microseconds
 * @param second within the first
 */
record KeysetCursor(long first, long second) {
    private static final int CHECK_BYTES = 8;
    private static final int BYTES = 16 + CHECK_BYTES;

    /** @param list names the list: tenant and selection */
    String text(String list) {
        byte[] bytes = ByteBuffer.allocate(BYTES)
                .putLong(first)
                .putLong(second)
                .put(check(list))
                .array();
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Empty when it is not a cursor of this list. */
    static Optional<KeysetCursor> parse(String text, String list) {
        if (text.length() != BYTES * 4 / 3) {
            return Optional.empty();
        }
        try {
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            KeysetCursor cursor = new KeysetCursor(bytes.getLong(0), bytes.getLong(8));
            return cursor.text(list).equals(text) ? Optional.of(cursor) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static Rejection notOfThisList() {
        return Problem.outside(ProblemCode.MALFORMED, "query cursor", "is not one that this list gave out")
                .rejection();
    }

    private byte[] check(String list) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((list + "\n" + first + "\n" + second).getBytes(StandardCharsets.UTF_8));
            return Arrays.copyOf(digest, CHECK_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
