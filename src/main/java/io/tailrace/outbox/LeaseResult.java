package io.tailrace.outbox;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a start, renewal or settlement came to for one lease. */
public sealed interface LeaseResult {
    PartId id();

    /**
     * Done.
     *
     * @param replayed it had been done before with the same token; nothing changed now
     * @param leasedUntil after a start or a renewal
     */
    record Done(
            PartId id,
            PartState state,
            boolean replayed,
            @Nullable Instant leasedUntil) implements LeaseResult {}

    /** Nothing changed. {@code code}: {@code lease_lost}, {@code not_started} or {@code not_found}. */
    record Refused(PartId id, String code, String detail) implements LeaseResult {}
}
