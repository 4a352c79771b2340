package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.activity.Activity;
import io.tailrace.activity.Conversation;
import io.tailrace.activity.Delivery;
import java.io.IOException;

/** Conversations, activities and deliveries as everybody sees them. */
public final class ActivityWriter {
    private ActivityWriter() {}

    public static void activity(JsonGenerator out, Activity activity) throws IOException {
        out.writeStartObject();
        out.writeStringField("id", activity.id().toString());
        out.writeStringField("tenant_id", activity.tenantId().toString());
        out.writeStringField("conversation_id", activity.conversationId().toString());
        out.writeNumberField("seq", activity.seq());
        out.writeStringField("type", activity.type());
        out.writeStringField("sender", activity.sender());
        out.writeStringField("text", activity.text());
        PartWriter.raw(out, "attachments", activity.attachmentsJson());
        PartWriter.raw(out, "metadata", activity.metadataJson());
        out.writeStringField("idempotency_key", activity.idempotencyKey());
        PartWriter.time(out, "inserted_at", activity.insertedAt());
        out.writeEndObject();
    }

    public static void conversation(JsonGenerator out, Conversation conversation) throws IOException {
        out.writeStartObject();
        out.writeStringField("id", conversation.id().toString());
        out.writeStringField("tenant_id", conversation.tenantId().toString());
        out.writeStringField(
                "channel_id",
                conversation.channelId() == null
                        ? null
                        : conversation.channelId().toString());
        out.writeStringField("status", "active");
        PartWriter.raw(out, "metadata", conversation.metadataJson());
        out.writeNumberField("last_seq", conversation.lastSeq());
        PartWriter.time(out, "last_activity_at", conversation.lastActivityAt());
        PartWriter.time(out, "created_at", conversation.createdAt());
        PartWriter.time(out, "updated_at", conversation.updatedAt());
        out.writeEndObject();
    }

    public static void delivery(JsonGenerator out, Delivery delivery) throws IOException {
        out.writeStartObject();
        out.writeStringField("id", delivery.id().toString());
        out.writeStringField("tenant_id", delivery.tenantId().toString());
        out.writeStringField("activity_id", delivery.activityId().toString());
        PartWriter.time(out, "activity_inserted_at", delivery.activityInsertedAt());
        out.writeStringField("channel_id", delivery.channelId().toString());
        out.writeStringField("status", delivery.status().wire());
        out.writeNumberField("attempts", delivery.attempts());
        out.writeStringField("last_error", delivery.lastError());
        PartWriter.time(out, "sent_at", delivery.sentAt());
        PartWriter.time(out, "delivered_at", delivery.deliveredAt());
        PartWriter.time(out, "read_at", delivery.readAt());
        out.writeStringField("provider_message_id", delivery.providerMessageId());
        PartWriter.raw(out, "metadata", delivery.metadataJson());
        PartWriter.time(out, "inserted_at", delivery.insertedAt());
        PartWriter.time(out, "updated_at", delivery.updatedAt());
        out.writeEndObject();
    }
}
