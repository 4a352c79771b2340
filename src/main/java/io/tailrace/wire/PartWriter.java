package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.outbox.Batch;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.LeaseResult;
import io.tailrace.outbox.PartId;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answers to those who enqueue and send, as {@code wire.md} fixed them. Fields may be added, never renamed. */
public final class PartWriter {
    private PartWriter() {}

    /** Members of an object that the caller has opened. */
    public static void stored(JsonGenerator out, EnqueueResult.Stored stored) throws IOException {
        out.writeStringField("batch_id", stored.batchId());
        out.writeNumberField("stored_parts", stored.storedParts());
        out.writeArrayFieldStart("parts");
        for (EnqueueResult.StoredPart part : stored.parts()) {
            out.writeStartObject();
            id(out, part.id());
            out.writeStringField("operation_id", part.operationId());
            out.writeNumberField("part_index", part.partIndex());
            out.writeStringField("state", part.state().wire());
            out.writeBooleanField("inserted", part.inserted());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    public static void claimed(JsonGenerator out, List<Claim.Item> items) throws IOException {
        out.writeStartObject();
        out.writeArrayFieldStart("items");
        for (Claim.Item item : items) {
            claimed(out, item);
        }
        out.writeEndArray();
        out.writeEndObject();
    }

    private static void claimed(JsonGenerator out, Claim.Item item) throws IOException {
        out.writeStartObject();
        id(out, item.id());
        out.writeNumberField("lease_token", item.leaseToken());
        out.writeNumberField("attempt", item.attempt());
        time(out, "leased_until", item.leasedUntil());
        out.writeStringField("batch_id", item.batchId());
        out.writeNumberField("part_index", item.partIndex());
        out.writeStringField("operation_id", item.operationId());
        out.writeStringField("bot_id", item.botId());
        out.writeStringField("chat_id", item.chatId());
        out.writeStringField("thread_id", item.threadId());
        out.writeStringField("ordering_key", item.orderingKey());
        out.writeStringField("method_kind", item.methodKind());
        out.writeNumberField("payload_version", item.payloadVersion());
        raw(out, "payload", item.payloadJson());
        blob(out, item.blob());
        out.writeStringField("delivery_policy", item.deliveryPolicy().wire());
        out.writeNumberField("priority", item.priority());
        time(out, "expires_at", item.expiresAt());
        out.writeStringField("traceparent", item.traceparent());
        out.writeEndObject();
    }

    /** One result of a start, a renewal or a settlement; {@code result} null: no such id can have been given out. */
    public static void leaseResult(JsonGenerator out, String id, @Nullable LeaseResult result) throws IOException {
        out.writeStartObject();
        out.writeStringField("id", id);
        if (result instanceof LeaseResult.Done done) {
            out.writeBooleanField("ok", true);
            out.writeStringField("state", done.state().wire());
            out.writeBooleanField("replayed", done.replayed());
            if (done.leasedUntil() != null) {
                time(out, "leased_until", done.leasedUntil());
            }
        } else {
            out.writeBooleanField("ok", false);
            LeaseResult.Refused refused = result instanceof LeaseResult.Refused it ? it : null;
            out.writeStringField("code", refused == null ? ProblemCode.NOT_FOUND.wire() : refused.code());
            out.writeStringField("detail", refused == null ? "this is not the id of a part" : refused.detail());
        }
        out.writeEndObject();
    }

    public static void id(JsonGenerator out, PartId id) throws IOException {
        out.writeStringField("id", id.opaque());
        time(out, "created_at", id.createdAt());
    }

    public static void time(JsonGenerator out, String name, @Nullable Instant instant) throws IOException {
        out.writeStringField(name, instant == null ? null : Rfc3339.format(instant));
    }

    /** The JSON text as it is; null as null. */
    public static void raw(JsonGenerator out, String name, @Nullable String json) throws IOException {
        out.writeFieldName(name);
        if (json == null) {
            out.writeNull();
        } else {
            out.writeRawValue(json);
        }
    }

    static void blob(JsonGenerator out, Batch.@Nullable Blob blob) throws IOException {
        if (blob == null) {
            out.writeNullField("blob");
            return;
        }
        out.writeObjectFieldStart("blob");
        out.writeStringField("sha256", blob.sha256());
        out.writeStringField("media_type", blob.mediaType());
        out.writeStringField("file_name", blob.fileName());
        out.writeEndObject();
    }
}
