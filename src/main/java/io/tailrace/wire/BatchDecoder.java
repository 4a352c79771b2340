package io.tailrace.wire;

import io.tailrace.outbox.Batch;
import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.DeliveryPolicy;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/outbox/batches}: shapes here, limits in {@link BatchRules}. */
public final class BatchDecoder {
    private static final List<String> BATCH = List.of("batch_id", "parts");
    private static final List<String> PART = List.of(
            "bot_id",
            "chat_id",
            "thread_id",
            "ordering_key",
            "causation_update_id",
            "dialog_job_id",
            "trigger_message_id",
            "method_kind",
            "payload_version",
            "payload",
            "blob",
            "delivery_policy",
            "protected",
            "priority",
            "available_at",
            "expires_at");
    private static final List<String> BLOB = List.of("sha256", "media_type", "file_name");
    private static final List<String> POLICIES =
            Arrays.stream(DeliveryPolicy.values()).map(DeliveryPolicy::wire).toList();

    private BatchDecoder() {}

    /** @param headers what the request's headers add: the idempotency key names the batch when the body does not */
    public static Batch decode(JsonReader in, RequestHeaders headers) throws IOException {
        Batch batch = batch(in, headers);
        BatchRules.check(batch).ifPresent(it -> {
            ProblemCode code = it.tooLarge() ? ProblemCode.TOO_LARGE : ProblemCode.INVALID_FIELD;
            throw Problem.at(code, it.pointer(), it.detail()).rejection();
        });
        return batch;
    }

    private static Batch batch(JsonReader in, RequestHeaders headers) throws IOException {
        in.beginObject();
        String batchId = null;
        List<Batch.Part> parts = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "batch_id" -> {
                    batchId = in.text();
                    if (headers.idempotencyKey() != null
                            && !headers.idempotencyKey().equals(batchId)) {
                        throw in.invalid("differs from the Idempotency-Key header");
                    }
                }
                case "parts" -> parts = parts(in);
                default -> throw in.unknown(BATCH);
            }
        }
        if (batchId == null) {
            batchId = headers.idempotencyKey();
        }
        if (batchId == null) {
            throw in.missing("batch_id");
        }
        if (parts == null) {
            throw in.missing("parts");
        }
        return new Batch(batchId, parts, headers.traceparent());
    }

    private static List<Batch.Part> parts(JsonReader in) throws IOException {
        in.beginArray();
        List<Batch.Part> parts = new ArrayList<>();
        while (in.nextElement()) {
            if (parts.size() == BatchRules.MAX_PARTS) {
                throw Problem.at(ProblemCode.TOO_LARGE, "/parts", "has more than " + BatchRules.MAX_PARTS + " parts")
                        .rejection();
            }
            parts.add(new PartFields(in).part());
        }
        return parts;
    }

    /** One part while it is being read. */
    private static final class PartFields {
        private final JsonReader in;
        private @Nullable String botId;
        private @Nullable String chatId;
        private @Nullable String threadId;
        private @Nullable String orderingKey;
        private @Nullable String causationUpdateId;
        private @Nullable String dialogJobId;
        private @Nullable String triggerMessageId;
        private @Nullable String methodKind;
        private int payloadVersion = 1;
        private @Nullable String payload;
        private Batch.@Nullable Blob blob;
        private DeliveryPolicy deliveryPolicy = DeliveryPolicy.CREATE;
        private boolean isProtected;
        private int priority;
        private @Nullable Instant availableAt;
        private @Nullable Instant expiresAt;

        PartFields(JsonReader in) {
            this.in = in;
        }

        Batch.Part part() throws IOException {
            in.beginObject();
            String name;
            while ((name = in.nextName()) != null) {
                read(name);
            }
            return new Batch.Part(
                    required("bot_id", botId),
                    chatId,
                    threadId,
                    required("ordering_key", orderingKey),
                    causationUpdateId,
                    dialogJobId,
                    triggerMessageId,
                    required("method_kind", methodKind),
                    payloadVersion,
                    required("payload", payload),
                    blob,
                    deliveryPolicy,
                    isProtected,
                    priority,
                    availableAt,
                    expiresAt);
        }

        private void read(String name) throws IOException {
            switch (name) {
                case "bot_id" -> botId = in.id(false);
                // Telegram's groups and channels have negative ids.
                case "chat_id" -> chatId = in.idOrNull(true);
                case "thread_id" -> threadId = in.idOrNull(false);
                case "ordering_key" -> orderingKey = in.text();
                case "causation_update_id" -> causationUpdateId = in.idOrNull(false);
                case "dialog_job_id" -> dialogJobId = in.idOrNull(false);
                case "trigger_message_id" -> triggerMessageId = in.idOrNull(false);
                case "method_kind" -> methodKind = in.text();
                case "payload_version" -> payloadVersion = (int) in.number(0, Integer.MAX_VALUE);
                case "payload" -> payload = in.rawObject(BatchRules.MAX_PAYLOAD_BYTES);
                case "blob" -> blob = in.isNull() ? null : blob();
                case "delivery_policy" -> deliveryPolicy = policy();
                case "protected" -> isProtected = in.bool();
                case "priority" -> priority = (int) in.number(Short.MIN_VALUE, Short.MAX_VALUE);
                case "available_at" -> availableAt = in.instantOrNull();
                case "expires_at" -> expiresAt = in.instantOrNull();
                default -> throw in.unknown(PART);
            }
        }

        private DeliveryPolicy policy() throws IOException {
            String text = in.text();
            if (!POLICIES.contains(text)) {
                throw in.invalid("must be one of " + POLICIES.stream().collect(Collectors.joining(", ")));
            }
            return DeliveryPolicy.of(text);
        }

        private Batch.Blob blob() throws IOException {
            in.beginObject();
            String sha256 = null;
            String mediaType = null;
            String fileName = null;
            String name;
            while ((name = in.nextName()) != null) {
                switch (name) {
                    case "sha256" -> sha256 = in.text();
                    case "media_type" -> mediaType = in.textOrNull();
                    case "file_name" -> fileName = in.textOrNull();
                    default -> throw in.unknown(BLOB);
                }
            }
            return new Batch.Blob(required("sha256", sha256), mediaType, fileName);
        }

        private String required(String name, @Nullable String value) {
            if (value == null) {
                throw in.missing(name);
            }
            return value;
        }
    }
}
