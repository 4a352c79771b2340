package io.tailrace.outbox;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Bytes sent ahead of the parts that refer to them, by their SHA-256. A failed Future is a {@link
 * io.tailrace.db.DatabaseFailure}. Thread-safe; Futures complete on the caller's context.
 */
public interface Blobs {
    /** What is known of a blob without its bytes. */
    record Description(String sha256, String mediaType, long bytes) {}

    /**
     * Keeps a blob once.
     *
     * @param sha256 of {@code bytes}, which the caller has checked
     * @return true when it was not there before; the media type of the first one stays
     */
    Future<Boolean> put(UUID tenant, String sha256, String mediaType, Buffer bytes);

    Future<Optional<Description>> describe(UUID tenant, String sha256);

    /**
     * Hands a blob's bytes to {@code sink} piece by piece; the next is read when the sink's Future has completed, so no
     * more than one is in memory. Fails when the blob is collected meanwhile.
     *
     * @return completes after the last piece; fails as the sink does
     */
    Future<Void> read(UUID tenant, Description blob, Function<Buffer, Future<Void>> sink);
}
