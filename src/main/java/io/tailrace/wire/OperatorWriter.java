package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.outbox.BlockedKey;
import io.tailrace.outbox.OperatorResult;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.Redrive;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The answers to operators. */
public final class OperatorWriter {
    private OperatorWriter() {}

    public static void done(JsonGenerator out, PartId id, OperatorResult.Done done) throws IOException {
        out.writeStartObject();
        out.writeStringField("id", id.opaque());
        out.writeStringField("state", done.state().wire());
        out.writeBooleanField("changed", done.changed());
        out.writeEndObject();
    }

    /** A member of an object that the caller has opened. */
    public static void pauses(JsonGenerator out, String name, List<OutboxOperator.Pause> pauses) throws IOException {
        out.writeArrayFieldStart(name);
        for (OutboxOperator.Pause pause : pauses) {
            out.writeStartObject();
            out.writeStringField("bot_id", pause.botId());
            out.writeStringField("reason", pause.reason());
            time(out, "until", pause.until());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    public static void ordered(JsonGenerator out, Redrive.Ordered ordered) throws IOException {
        out.writeStartObject();
        out.writeNumberField("matched", ordered.matched());
        out.writeNumberField("would_skip", ordered.risky());
        out.writeStringField(
                "redrive_id", ordered.id() == null ? null : ordered.id().toString());
        out.writeEndObject();
    }

    public static void progress(JsonGenerator out, Redrive.Progress progress) throws IOException {
        Redrive order = progress.order();
        out.writeStartObject();
        out.writeStringField("redrive_id", progress.id().toString());
        out.writeStringField("status", progress.finishedAt() == null ? "running" : "finished");
        out.writeStringField("action", order.action().wire());
        out.writeObjectFieldStart("filter");
        out.writeStringField("state", order.state().wire());
        out.writeStringField("bot_id", order.botId());
        out.writeStringField("error_class", order.errorClass());
        time(out, "since", order.since());
        out.writeEndObject();
        out.writeNumberField("rate_per_second", order.ratePerSecond());
        out.writeBooleanField("accept_duplicate_risk", order.acceptDuplicateRisk());
        out.writeNumberField("matched", progress.matched());
        out.writeNumberField("done", progress.done());
        out.writeNumberField("skipped", progress.skipped());
        out.writeNumberField("skipped_duplicate_risk", progress.skippedRisk());
        time(out, "created_at", progress.createdAt());
        time(out, "finished_at", progress.finishedAt());
        out.writeEndObject();
    }

    public static void blocked(JsonGenerator out, BlockedKey key) throws IOException {
        out.writeStartObject();
        out.writeStringField("id", key.id().opaque());
        out.writeStringField("batch_id", key.batchId());
        out.writeNumberField("part_index", key.partIndex());
        out.writeStringField("bot_id", key.botId());
        out.writeStringField("ordering_key", key.orderingKey());
        out.writeStringField("state", key.state().wire());
        out.writeNumberField("attempt_count", key.attemptCount());
        out.writeStringField("last_error_class", key.lastErrorClass());
        time(out, "since", key.since());
        time(out, "until", key.until());
        out.writeNumberField("waiting", key.waiting());
        out.writeEndObject();
    }

    static void time(JsonGenerator out, String name, @Nullable Instant at) throws IOException {
        out.writeStringField(name, at == null ? null : Rfc3339.format(at));
    }
}
