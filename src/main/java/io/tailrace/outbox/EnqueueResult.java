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
    }

    /**
     * Nothing was written.
     *
     * @param code {@code idempotency_conflict}, {@code batch_gap} or {@code invalid_field}
     * @param pointer RFC 6901, into the batch: {@code /parts/0/priority}
     */
    record Refused(String code, String pointer, String detail) implements EnqueueResult {}

    /** One part of the answer, in part order. */
    record StoredPart(PartId id, String operationId, int partIndex, PartState state, boolean inserted) {}
}
