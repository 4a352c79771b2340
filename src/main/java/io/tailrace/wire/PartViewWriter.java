package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.outbox.PartView;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/** Parts and attempts as those see them who look. */
public final class PartViewWriter {
    /** What is hidden unless it is asked for. */
    public static final List<String> INCLUDABLE = List.of("payload", "receipt", "blob");

    private PartViewWriter() {}

    public static void parts(JsonGenerator out, String name, List<PartView> parts, Set<String> include)
            throws IOException {
        out.writeArrayFieldStart(name);
        for (PartView part : parts) {
            part(out, part, include);
        }
        out.writeEndArray();
    }

    public static void part(JsonGenerator out, PartView part, Set<String> include) throws IOException {
        out.writeStartObject();
        PartWriter.id(out, part.id());
        out.writeStringField("operation_id", part.operationId());
        out.writeStringField("batch_id", part.batchId());
        out.writeNumberField("part_index", part.partIndex());
        out.writeStringField("state", part.state().wire());
        out.writeStringField("bot_id", part.botId());
        out.writeStringField("chat_id", part.chatId());
        out.writeStringField("thread_id", part.threadId());
        out.writeStringField("ordering_key", part.orderingKey());
        out.writeStringField("causation_update_id", part.causationUpdateId());
        out.writeStringField("dialog_job_id", part.dialogJobId());
        out.writeStringField("trigger_message_id", part.triggerMessageId());
        out.writeStringField("method_kind", part.methodKind());
        out.writeNumberField("payload_version", part.payloadVersion());
        out.writeStringField("delivery_policy", part.deliveryPolicy().wire());
        out.writeBooleanField("protected", part.isProtected());
        out.writeNumberField("priority", part.priority());
        life(out, part);
        hidden(out, part, include);
        out.writeEndObject();
    }

    private static void life(JsonGenerator out, PartView part) throws IOException {
        PartWriter.time(out, "available_at", part.availableAt());
        PartWriter.time(out, "expires_at", part.expiresAt());
        out.writeNumberField("attempt_count", part.attemptCount());
        out.writeNumberField("throttle_count", part.throttleCount());
        out.writeNumberField("rescue_count", part.rescueCount());
        out.writeStringField("lease_owner", part.leaseOwner());
        out.writeNumberField("lease_token", part.leaseToken());
        PartWriter.time(out, "leased_until", part.leasedUntil());
        PartWriter.time(out, "claimed_at", part.claimedAt());
        out.writeStringField("last_error_class", part.lastErrorClass());
        out.writeStringField("last_error", part.lastError());
        out.writeStringField("response_kind", part.responseKind());
        out.writeArrayFieldStart("message_ids");
        for (String messageId : part.messageIds()) {
            out.writeString(messageId);
        }
        out.writeEndArray();
        PartWriter.time(out, "confirmed_at", part.confirmedAt());
        PartWriter.time(out, "updated_at", part.updatedAt());
        out.writeStringField("traceparent", part.traceparent());
    }

    private static void hidden(JsonGenerator out, PartView part, Set<String> include) throws IOException {
        if (include.contains("payload")) {
            PartWriter.raw(out, "payload", part.payloadJson());
        }
        if (include.contains("receipt")) {
            PartWriter.raw(out, "receipt", part.receiptJson());
        }
        if (include.contains("blob")) {
            PartWriter.blob(out, part.blob());
        }
    }

    public static void attempt(JsonGenerator out, PartView.Attempt attempt) throws IOException {
        out.writeStartObject();
        out.writeNumberField("attempt", attempt.attempt());
        out.writeNumberField("lease_token", attempt.leaseToken());
        out.writeStringField("worker_id", attempt.workerId());
        PartWriter.time(out, "claimed_at", attempt.claimedAt());
        PartWriter.time(out, "request_started_at", attempt.requestStartedAt());
        PartWriter.time(out, "response_received_at", attempt.responseReceivedAt());
        PartWriter.time(out, "finished_at", attempt.finishedAt());
        out.writeStringField("outcome", attempt.outcome());
        out.writeFieldName("http_status");
        out.writeObject(attempt.httpStatus());
        out.writeFieldName("latency_ms");
        out.writeObject(attempt.latencyMs());
        out.writeStringField("error_class", attempt.errorClass());
        out.writeStringField("error", attempt.error());
        out.writeEndObject();
    }
}
