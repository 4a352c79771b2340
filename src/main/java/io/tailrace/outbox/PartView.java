package io.tailrace.outbox;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part as anybody who may look at it sees it; payload and receipt are null unless they were asked for. */
public record PartView(
        PartId id,
        String operationId,
        String batchId,
        int partIndex,
        String botId,
        @Nullable String chatId,
        @Nullable String threadId,
        String orderingKey,
        @Nullable String causationUpdateId,
        @Nullable String dialogJobId,
        @Nullable String triggerMessageId,
        String methodKind,
        int payloadVersion,
        @Nullable String payloadJson,
        Batch.@Nullable Blob blob,
        DeliveryPolicy deliveryPolicy,
        boolean isProtected,
        int priority,
        PartState state,
        Instant availableAt,
        @Nullable Instant expiresAt,
        int attemptCount,
        int throttleCount,
        int rescueCount,
        @Nullable String leaseOwner,
        long leaseToken,
        @Nullable Instant leasedUntil,
        @Nullable Instant claimedAt,
        @Nullable String lastErrorClass,
        @Nullable String lastError,
        @Nullable String responseKind,
        @Nullable String receiptJson,
        List<String> messageIds,
        @Nullable Instant confirmedAt,
        Instant updatedAt,
        @Nullable String traceparent) {

    /** One lease of a part and what became of it. */
    public record Attempt(
            int attempt,
            long leaseToken,
            String workerId,
            Instant claimedAt,
            @Nullable Instant requestStartedAt,
            @Nullable Instant responseReceivedAt,
            @Nullable Instant finishedAt,
            @Nullable String outcome,
            @Nullable Integer httpStatus,
            @Nullable Long latencyMs,
            @Nullable String errorClass,
            @Nullable String error) {}
}
