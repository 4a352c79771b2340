package io.tailrace.wire;

import io.tailrace.outbox.OperatorResult;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.Redrive;
import java.util.List;
import java.util.Optional;

/** What operators are answered. */
public final class OperatorReplies {
    private OperatorReplies() {}

    /** @throws Rejection when it was refused */
    public static Reply acted(PartId id, OperatorResult result) {
        if (result instanceof OperatorResult.Refused refused) {
            throw Problem.of(ProblemCode.of(refused.code()), refused.detail()).rejection();
        }
        OperatorResult.Done done = (OperatorResult.Done) result;
        return Reply.done(out -> OperatorWriter.done(out, id, done));
    }

    public static Reply ordered(Redrive.Ordered ordered) {
        int status = ordered.id() == null ? Reply.DONE : Reply.ACCEPTED;
        return new Reply(status, out -> OperatorWriter.ordered(out, ordered));
    }

    /** @throws Rejection when there is no such redrive */
    public static Reply progress(Optional<Redrive.Progress> found) {
        Redrive.Progress progress = found.orElseThrow(OperatorReplies::noRedrive);
        return Reply.done(out -> OperatorWriter.progress(out, progress));
    }

    /** What still holds the bot: a provider's throttle goes on after an operator's pause. */
    public static Reply pauses(String botId, List<OutboxOperator.Pause> pauses) {
        return Reply.done(out -> {
            out.writeStartObject();
            out.writeStringField("bot_id", botId);
            out.writeBooleanField("paused", !pauses.isEmpty());
            OperatorWriter.pauses(out, "pauses", pauses);
            out.writeEndObject();
        });
    }

    static Rejection noRedrive() {
        return Problem.of(ProblemCode.NOT_FOUND, "there is no such redrive").rejection();
    }
}
