package io.tailrace.wire;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators send: {@code …/retry} and {@code …/pause}. */
public final class OperatorDecoder {
    private static final List<String> RETRY = List.of("accept_duplicate_risk");
    private static final List<String> PAUSE = List.of("until");

    /** @param until null: until it is resumed */
    public record Pause(@Nullable Instant until) {
        public static final Pause FOR_EVER = new Pause(null);
    }

    private OperatorDecoder() {}

    /** Whether the risk of sending twice is accepted. */
    public static Boolean retry(JsonReader in) throws IOException {
        in.beginObject();
        boolean accepted = false;
        String name;
        while ((name = in.nextName()) != null) {
            if (!name.equals("accept_duplicate_risk")) {
                throw in.unknown(RETRY);
            }
            accepted = in.bool();
        }
        return accepted;
    }

    public static Pause pause(JsonReader in) throws IOException {
        in.beginObject();
        Instant until = null;
        String name;
        while ((name = in.nextName()) != null) {
            if (!name.equals("until")) {
                throw in.unknown(PAUSE);
            }
            until = in.instantOrNull();
        }
        return new Pause(until);
    }
}
