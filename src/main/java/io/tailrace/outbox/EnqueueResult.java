package io.tailrace.outbox;

import java.util.List;

/** What an enqueue came to; an expected alternative is a value, not a failure. */
public sealed interface EnqueueResult {
    /**
     * All parts are stored, now or before.
     *
     * @param storedParts how many parts the batch has in all
     */
    record Stored(String batchId, int storedParts, List<StoredPart> parts) implements EnqueueResult {
        public boolean anyInserted() {
            return parts.stream().anyMatch(StoredPart::inserted);
        }

        /** Whether a claim would find one of them now, so that it is worth waking somebody. */
        boolean anyClaimable() {
            return parts.stream().anyMatch(StoredPart::claimable);
        }
    }

    /**
     * Nothing was written.
     *
     * @param code {@code idempotency_conflict}, {@code batch_gap} or {@code invalid_field}
     * @param pointer RFC 6901, into the batch: {@code /parts/0/priority}
     */
    record Refused(String code, String pointer, String detail) implements EnqueueResult {}

    /**
     * One part of the answer, in part order.
     *
     * @param claimable inserted at the head of its key and due; a part behind another is heard of when that one ends
     */
    record StoredPart(
            PartId id, String operationId, int partIndex, PartState state, boolean inserted, boolean claimable) {}
}
