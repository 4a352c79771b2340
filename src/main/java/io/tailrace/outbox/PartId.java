package io.tailrace.outbox;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Optional;

/**
 * A part's address. The public form is opaque and carries the day, so that every statement by id prunes to one
 * partition.
 *
 * @param id from the one sequence of the outbox
 * @param createdAt in whole microseconds, the partition key
 */
public record PartId(long id, Instant createdAt) {
    private static final int BYTES = 16;
    private static final Base64.Encoder ENCODER = Base64.getUrlEncoder().withoutPadding();

    /** 22 characters of base64url. */
    public String opaque() {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        bytes.putLong(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt)).putLong(id);
        return ENCODER.encodeToString(bytes.array());
    }

    /** Empty when the text is not one that {@link #opaque()} can have made. */
    public static Optional<PartId> parse(String opaque) {
        if (opaque.length() != 22) {
            return Optional.empty();
        }
        byte[] bytes;
        try {
            bytes = Base64.getUrlDecoder().decode(opaque);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES) {
            return Optional.empty();
        }
        long micros = buffer.getLong();
        long id = buffer.getLong();
        // Years 2000 to 2200: outside of them PostgreSQL has no partition, and far outside no such timestamp.
        if (id <= 0 || micros < 946_684_800_000_000L || micros > 7_258_118_400_000_000L) {
            return Optional.empty();
        }
        PartId parsed = new PartId(id, Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
        return parsed.opaque().equals(opaque) ? Optional.of(parsed) : Optional.empty();
    }
}
