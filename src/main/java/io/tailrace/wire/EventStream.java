package io.tailrace.wire;

import io.tailrace.activity.Activity;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/** Server-Sent Events as HTML's standard has them: an activity a message, its seq as the id. */
public final class EventStream {
    /** With how long a client that was cut off waits, in milliseconds. */
    private static final Buffer HEAD = Buffer.buffer("retry: 1000\n\n");

    private static final Buffer HEARTBEAT = Buffer.buffer(":\n\n");

    private EventStream() {}

    public static Buffer head() {
        return HEAD;
    }

    /** A comment, which keeps the connection from looking idle. */
    public static Buffer heartbeat() {
        return HEARTBEAT;
    }

    public static Buffer activity(Activity activity) {
        Buffer event = Buffer.buffer("id: " + activity.seq() + "\n");
        data(event, JsonBody.of(out -> ActivityWriter.activity(out, activity)));
        return event;
    }

    /** The last one: why there is no more. */
    public static Buffer end(Problem problem) {
        Buffer event = Buffer.buffer("event: end\n");
        data(event, JsonBody.of(problem::write));
        return event;
    }

    /** A line end between tokens is white space of JSON; in a string it is escaped. So each line is data of its own. */
    private static void data(Buffer event, Buffer json) {
        byte[] bytes = json.getBytes();
        int from = 0;
        for (int i = 0; i <= bytes.length; i++) {
            if (i == bytes.length || bytes[i] == '\n' || bytes[i] == '\r') {
                event.appendString("data: ", StandardCharsets.US_ASCII.name())
                        .appendBytes(bytes, from, i - from)
                        .appendByte((byte) '\n');
                from = i + 1;
            }
        }
        event.appendByte((byte) '\n');
    }
}
