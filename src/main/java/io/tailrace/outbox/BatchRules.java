package io.tailrace.outbox;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a batch may look like, whoever brings it: the edges ask before they hand it on, and the SQL function checks the
 * same for callers of its own. Pure.
 */
public final class BatchRules {
    public static final int MAX_PARTS = 3_000;
    /** Of one payload, as UTF-8. */
    public static final int MAX_PAYLOAD_BYTES = 1 << 20;
    /** Of one blob sent ahead. */
    public static final int MAX_BLOB_BYTES = 50 * 1024 * 1024;

    /** Longer ones would not fit the unique index of a partition, four bytes a character. */
    public static final int MAX_BATCH_ID = 512;

    public static final int MAX_ORDERING_KEY = 512;
    public static final int MAX_BOT_ID = 64;
    public static final int MAX_CHAT_ID = 128;
    public static final int MAX_OTHER_ID = 64;
    public static final int MAX_METHOD_KIND = 64;
    public static final int MAX_MEDIA_TYPE = 255;
    public static final int MAX_FILE_NAME = 255;

    private static final Pattern SHA256 = Pattern.compile("[0-9a-f]{64}");

    /**
     * What is wrong with a batch.
     *
     * @param tooLarge true for a limit on size or count; false for a value that is not acceptable
     * @param pointer RFC 6901, into the batch: {@code /parts/0/bot_id}
     */
    public record Violation(boolean tooLarge, String pointer, String detail) {}

    private BatchRules() {}

    /** Lower-case hex, as the blobs are named. */
    public static boolean isSha256(String text) {
        return SHA256.matcher(text).matches();
    }

    /** The first thing that is wrong, in the order of the batch. */
    public static Optional<Violation> check(Batch batch) {
        Violation found = name("/batch_id", batch.batchId(), MAX_BATCH_ID);
        if (found == null && batch.parts().isEmpty()) {
            found = new Violation(false, "/parts", "must have at least one part");
        }
        if (found == null && batch.parts().size() > MAX_PARTS) {
            found = new Violation(true, "/parts", "has more than " + MAX_PARTS + " parts");
        }
        for (int i = 0; found == null && i < batch.parts().size(); i++) {
            found = part(batch.parts().get(i), i);
        }
        return Optional.ofNullable(found);
    }

    private static @Nullable Violation part(Batch.Part part, int index) {
        Violation found = member(part);
        return found == null ? null : new Violation(found.tooLarge, "/parts/" + index + found.pointer, found.detail);
    }

    private static @Nullable Violation member(Batch.Part part) {
        Violation found = name("/bot_id", part.botId(), MAX_BOT_ID);
        found = found != null ? found : optional("/chat_id", part.chatId(), MAX_CHAT_ID);
        found = found != null ? found : optional("/thread_id", part.threadId(), MAX_OTHER_ID);
        found = found != null ? found : name("/ordering_key", part.orderingKey(), MAX_ORDERING_KEY);
        found = found != null ? found : optional("/causation_update_id", part.causationUpdateId(), MAX_OTHER_ID);
        found = found != null ? found : optional("/dialog_job_id", part.dialogJobId(), MAX_OTHER_ID);
        found = found != null ? found : optional("/trigger_message_id", part.triggerMessageId(), MAX_OTHER_ID);
        found = found != null ? found : name("/method_kind", part.methodKind(), MAX_METHOD_KIND);
        if (found == null && part.payloadVersion() < 0) {
            found = new Violation(false, "/payload_version", "must not be negative");
        }
        if (found == null && (part.priority() < Short.MIN_VALUE || part.priority() > Short.MAX_VALUE)) {
            found = new Violation(false, "/priority", "must be between " + Short.MIN_VALUE + " and " + Short.MAX_VALUE);
        }
        if (found == null && utf8Exceeds(part.payloadJson(), MAX_PAYLOAD_BYTES)) {
            found = new Violation(true, "/payload", "is larger than " + MAX_PAYLOAD_BYTES + " bytes");
        }
        return found != null || part.blob() == null ? found : blob(part.blob());
    }

    private static @Nullable Violation blob(Batch.Blob blob) {
        if (!isSha256(blob.sha256())) {
            return new Violation(false, "/blob/sha256", "must be 64 lower-case hexadecimal digits");
        }
        Violation found = optional("/blob/media_type", blob.mediaType(), MAX_MEDIA_TYPE);
        return found != null ? found : optional("/blob/file_name", blob.fileName(), MAX_FILE_NAME);
    }

    private static @Nullable Violation name(String pointer, String text, int max) {
        return text.isEmpty() ? new Violation(false, pointer, "must not be empty") : optional(pointer, text, max);
    }

    private static @Nullable Violation optional(String pointer, @Nullable String text, int max) {
        return text != null && text.length() > max
                ? new Violation(false, pointer, "must have at most " + max + " characters")
                : null;
    }

    private static boolean utf8Exceeds(String text, int max) {
        if (text.length() <= max / 3) {
            return false;
        }
        long bytes = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // A surrogate pair takes four bytes, two for each half.
            bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
        }
        return bytes > max;
    }
}
