package io.tailrace.wire;

import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.PartView;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What those who look are answered. */
public final class ReaderReplies {
    private ReaderReplies() {}

    /** @throws Rejection when there is nothing to show */
    public static Reply batch(String batchId, List<PartView> parts) {
        if (parts.isEmpty()) {
            throw notFound("there is no such batch within the horizon of idempotency");
        }
        return Reply.done(out -> {
            out.writeStartObject();
            out.writeStringField("batch_id", batchId);
            PartViewWriter.parts(out, "parts", parts, Set.of());
            out.writeEndObject();
        });
    }

    /** @param include which of what is hidden to show: {@link PartViewWriter#INCLUDABLE} */
    public static Reply part(PartView part, Set<String> include) {
        return Reply.done(out -> PartViewWriter.part(out, part, include));
    }

    public static Reply attempts(List<PartView.Attempt> attempts) {
        return Reply.done(out -> {
            out.writeStartObject();
            out.writeArrayFieldStart("items");
            for (PartView.Attempt attempt : attempts) {
                PartViewWriter.attempt(out, attempt);
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    public static Reply stats(
            Map<PartState, Long> depth, Optional<Duration> oldestClaimable, List<OutboxOperator.Pause> pauses) {
        return Reply.done(out -> {
            out.writeStartObject();
            out.writeObjectFieldStart("depth");
            for (PartState state : PartState.IN_FLIGHT) {
                out.writeNumberField(state.wire(), depth.getOrDefault(state, 0L));
            }
            out.writeEndObject();
            if (oldestClaimable.isPresent()) {
                out.writeNumberField(
                        "oldest_claimable_age_ms", oldestClaimable.get().toMillis());
            } else {
                out.writeNullField("oldest_claimable_age_ms");
            }
            OperatorWriter.pauses(out, "paused_bots", pauses);
            out.writeEndObject();
        });
    }

    public static Rejection noPart() {
        return notFound("there is no such part");
    }

    private static Rejection notFound(String detail) {
        return Problem.of(ProblemCode.NOT_FOUND, detail).rejection();
    }
}
