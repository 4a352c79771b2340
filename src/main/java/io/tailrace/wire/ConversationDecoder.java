package io.tailrace.wire;

import io.tailrace.activity.ActivityRules;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/conversations}. */
public final class ConversationDecoder {
    private static final List<String> FIELDS = List.of("id", "channel_id", "metadata");

    /** What is asked for; an id of null is made. */
    public record Wanted(@Nullable UUID id, @Nullable UUID channelId, String metadataJson) {}

    private ConversationDecoder() {}

    public static Wanted decode(JsonReader in) throws IOException {
        in.beginObject();
        UUID id = null;
        UUID channel = null;
        String metadata = "{}";
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "id" -> id = in.uuidOrNull();
                case "channel_id" -> channel = in.uuidOrNull();
                case "metadata" -> metadata = in.isNull() ? "{}" : in.rawObject(ActivityRules.LARGEST_JSON);
                default -> throw in.unknown(FIELDS);
            }
        }
        return new Wanted(id, channel, metadata);
    }
}
