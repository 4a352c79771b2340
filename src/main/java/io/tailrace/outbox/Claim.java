package io.tailrace.outbox;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A sender asking for work.
 *
 * @param claimId a repeated call with it gets the same items while they are leased
 * @param limit 1 to 256
 * @param botIds null: every bot of the tenant
 * @param lease 1 s to 15 min
 * @param waitFor how long to wait for work when there is none, up to 30 s
 * @param start whether the parts are started as they are leased (OUT-17), for a sender that sends them at once: one that lapses
 *     counts as sent, perhaps
 */
public record Claim(
        String workerId,
        @Nullable UUID claimId,
        int limit,
        @Nullable List<String> botIds,
        Duration lease,
        Duration waitFor,
        boolean start) {
    public static final int MAX_LIMIT = 256;
    public static final Duration DEFAULT_LEASE = Duration.ofSeconds(90);
    public static final Duration MIN_LEASE = Duration.ofSeconds(1);
    public static final Duration MAX_LEASE = Duration.ofMinutes(15);
    public static final Duration MAX_WAIT = Duration.ofSeconds(30);

    /** Of parts that are yet to be started. */
    public Claim(
            String workerId,
            @Nullable UUID claimId,
            int limit,
            @Nullable List<String> botIds,
            Duration lease,
            Duration waitFor) {
        this(workerId, claimId, limit, botIds, lease, waitFor, false);
    }

    /** The same of these bots only. */
    public Claim of(List<String> bots) {
        return new Claim(workerId, claimId, limit, List.copyOf(bots), lease, waitFor, start);
    }

    /** A part in its sender's hand. {@code payloadJson} is what is to be sent now. */
    public record Item(
            PartId id,
            long leaseToken,
            int attempt,
            Instant leasedUntil,
            String batchId,
            int partIndex,
            String operationId,
            String botId,
            @Nullable String chatId,
            @Nullable String threadId,
            String orderingKey,
            String methodKind,
            int payloadVersion,
            String payloadJson,
            Batch.@Nullable Blob blob,
            DeliveryPolicy deliveryPolicy,
            int priority,
            @Nullable Instant expiresAt,
            @Nullable String traceparent) {}
}
