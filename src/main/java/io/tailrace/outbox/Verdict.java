package io.tailrace.outbox;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@link LeaseRules} decided about a part; {@code OutboxSettlements} carries it out as it stands. */
sealed interface Verdict {
    /**
     * The part has ended and leaves the in-flight table.
     *
     * @param outcome kept as last_outcome, to recognise a repetition
     */
    record End(InflightPart part, PartState state, String outcome, Detail detail) implements Verdict {}

    /**
     * The part goes back into its key's queue.
     *
     * @param state {@code RETRY_WAIT} or {@code PENDING}
     * @param availableAt null: at once
     */
    record Back(
            InflightPart part,
            PartState state,
            String outcome,
            @Nullable Instant availableAt,
            int attemptCount,
            int throttleCount,
            int rescueCount,
            int lapses,
            @Nullable String payloadJson,
            Detail detail)
            implements Verdict {}

    /** Late evidence: the part was taken for ambiguous because its lease lapsed, and it had gone out after all. */
    record Late(EndedPart part, Settlement.Delivered delivered) implements Verdict {}

    /** Done before, by the same token. */
    record Replayed(PartState state) implements Verdict {}

    /** Nothing changes. */
    record Refused(String code, String detail) implements Verdict {
        static final Refused LEASE_LOST = new Refused(
                "lease_lost",
                "the lease has ended or belongs to a later claim; nothing was changed. Do not send this part again.");
        static final Refused NOT_STARTED =
                new Refused("not_started", "no start is recorded for this lease; call starts before the network call");
    }

    /** What is kept beside the state. */
    record Detail(
            @Nullable String errorClass,
            @Nullable String error,
            @Nullable Integer httpStatus,
            @Nullable String responseKind,
            @Nullable String receiptJson,
            List<String> messageIds,
            @Nullable Long cancelledBy) {
        static final Detail NONE = new Detail(null, null, null, null, null, List.of(), null);

        static Detail of(Settlement.Failure failure) {
            return new Detail(failure.errorClass(), failure.error(), failure.httpStatus(), null, null, List.of(), null);
        }

        static Detail error(String errorClass, String error) {
            return new Detail(errorClass, error, null, null, null, List.of(), null);
        }
    }
}
