package io.tailrace.wire;

import io.tailrace.outbox.BatchRules;
import io.vertx.core.buffer.Buffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What is said about the bytes of a blob that is sent ahead.
 *
 * @param place where the digest stands in the request, as {@link Problem#outside} wants it
 */
public record BlobUpload(String sha256, String mediaType, String place) {
    private static final String DEFAULT_TYPE = "application/octet-stream";
    private static final int DIGEST_STEP = 64 * 1024;

    /**
     * @param mediaType null or blank: bytes of no known kind
     * @throws Rejection when one of them cannot be
     */
    public static BlobUpload of(@Nullable String sha256, String place, @Nullable String mediaType) {
        if (sha256 == null || !BatchRules.isSha256(sha256)) {
            throw Problem.outside(ProblemCode.INVALID_FIELD, place, "must be 64 lower-case hexadecimal digits")
                    .rejection();
        }
        if (mediaType == null || mediaType.isBlank()) {
            return new BlobUpload(sha256, DEFAULT_TYPE, place);
        }
        if (mediaType.length() > BatchRules.MAX_MEDIA_TYPE) {
            throw Problem.outside(
                            ProblemCode.INVALID_FIELD,
                            "header content-type",
                            "must have at most " + BatchRules.MAX_MEDIA_TYPE + " characters")
                    .rejection();
        }
        return new BlobUpload(sha256, mediaType, place);
    }

    /**
     * Takes as long as a digest of these bytes does: not for an event loop.
     *
     * @throws Rejection when they have another digest
     */
    public void check(Buffer bytes) {
        if (!digest(bytes).equals(sha256)) {
            throw Problem.outside(ProblemCode.INVALID_FIELD, place, "is not the digest of these bytes")
                    .rejection();
        }
    }

    private static String digest(Buffer bytes) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (int from = 0; from < bytes.length(); from += DIGEST_STEP) {
                digest.update(bytes.getBytes(from, Math.min(bytes.length(), from + DIGEST_STEP)));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** @param isNew whether it was not there before */
    public Reply kept(boolean isNew, int bytes) {
        return new Reply(isNew ? Reply.CREATED : Reply.DONE, out -> {
            out.writeStartObject();
            out.writeStringField("sha256", sha256);
            out.writeNumberField("bytes", bytes);
            out.writeEndObject();
        });
    }

    public static Rejection noBlob() {
        return Problem.of(ProblemCode.NOT_FOUND, "there is no such blob").rejection();
    }
}
