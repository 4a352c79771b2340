package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.outbox.OperatorResult;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.PartId;
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

    static void time(JsonGenerator out, String name, @Nullable Instant at) throws IOException {
        out.writeStringField(name, at == null ? null : Rfc3339.format(at));
    }
}
