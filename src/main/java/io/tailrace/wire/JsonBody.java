package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Writes JSON bodies by streaming; raw payloads are passed through as they are stored. */
public final class JsonBody {
    /** Writes one value. */
    public interface Content {
        void write(JsonGenerator out) throws IOException;
    }

    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonBody() {}

    public static Buffer of(Content content) {
        return write(content, false);
    }

    /** With a newline after it, as NDJSON has it. */
    public static Buffer line(Content content) {
        return write(content, true);
    }

    private static Buffer write(Content content, boolean newline) {
        try (ByteArrayBuilder bytes = new ByteArrayBuilder(1_024)) {
            try (JsonGenerator out = FACTORY.createGenerator(bytes)) {
                content.write(out);
            }
            if (newline) {
                bytes.append('\n');
            }
            return Buffer.buffer(bytes.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException("writing to memory", e);
        }
    }
}
