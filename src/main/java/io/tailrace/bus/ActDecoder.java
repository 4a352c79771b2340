package io.tailrace.bus;

import io.tailrace.outbox.PartId;
import io.tailrace.wire.JsonReader;
import io.tailrace.wire.OperatorDecoder;
import io.tailrace.wire.ReaderReplies;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What operators ask for: the members of HTTP's body, and beside them what HTTP takes from the path. */
final class ActDecoder {
    private static final List<String> RETRY = List.of("id", "accept_duplicate_risk");
    private static final List<String> REDRIVE = List.of("redrive_id");
    private static final List<String> PAUSE = List.of("bot_id", "until");
    private static final List<String> RESUME = List.of("bot_id");

    /** @param acceptDuplicateRisk whether the risk of sending twice is accepted */
    record Retry(PartId id, boolean acceptDuplicateRisk) {}

    /** @param until null: until it is resumed */
    record Pause(String botId, @Nullable Instant until) {}

    private ActDecoder() {}

    static Retry retry(JsonReader in) throws IOException {
        in.beginObject();
        String id = null;
        boolean accepted = false;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "id" -> id = in.text();
                case "accept_duplicate_risk" -> accepted = in.bool();
                default -> throw in.unknown(RETRY);
            }
        }
        if (id == null) {
            throw in.missing("id");
        }
        return new Retry(PartId.parse(id).orElseThrow(ReaderReplies::noPart), accepted);
    }

    static UUID redrive(JsonReader in) throws IOException {
        return OperatorDecoder.redriveId(LookDecoder.only(in, REDRIVE));
    }

    static Pause pause(JsonReader in) throws IOException {
        in.beginObject();
        String botId = null;
        Instant until = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "bot_id" -> botId = bot(in);
                case "until" -> until = in.instantOrNull();
                default -> throw in.unknown(PAUSE);
            }
        }
        if (botId == null) {
            throw in.missing("bot_id");
        }
        return new Pause(botId, until);
    }

    static String resume(JsonReader in) throws IOException {
        in.beginObject();
        String botId = null;
        String name;
        while ((name = in.nextName()) != null) {
            if (!name.equals("bot_id")) {
                throw in.unknown(RESUME);
            }
            botId = bot(in);
        }
        if (botId == null) {
            throw in.missing("bot_id");
        }
        return botId;
    }

    private static String bot(JsonReader in) throws IOException {
        String botId = in.id(false);
        String problem = OperatorDecoder.botProblem(botId);
        if (problem != null) {
            throw in.invalid(problem);
        }
        return botId;
    }
}
