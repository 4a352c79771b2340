package io.tailrace.wire;

import io.tailrace.activity.ActivityRules;
import io.tailrace.activity.NewActivity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One activity: shapes and limits ({@link ActivityRules}). */
public final class ActivityDecoder {
    private static final List<String> FIELDS =
            List.of("conversation_id", "type", "sender", "text", "attachments", "metadata", "idempotency_key");

    private final JsonReader in;
    private final RequestHeaders headers;
    private @Nullable UUID conversation;
    private @Nullable String type;
    private @Nullable String sender;
    private @Nullable String text;
    private String attachments = "[]";
    private String metadata = "{}";
    private @Nullable String key;

    private ActivityDecoder(JsonReader in, RequestHeaders headers) {
        this.in = in;
        this.headers = headers;
    }

    /**
     * {@code POST /v1/conversations/{id}/activities}.
     *
     * @param conversation from the path; a {@code conversation_id} in the body must be the same
     * @param headers what they add: the idempotency key when the body has none
     */
    public static NewActivity decode(JsonReader in, UUID conversation, RequestHeaders headers) throws IOException {
        return new ActivityDecoder(in, headers).activity(conversation);
    }

    /** One of many, which names its conversation itself. */
    public static NewActivity decode(JsonReader in, RequestHeaders headers) throws IOException {
        return new ActivityDecoder(in, headers).activity(null);
    }

    private NewActivity activity(@Nullable UUID ofPath) throws IOException {
        in.beginObject();
        String name;
        while ((name = in.nextName()) != null) {
            if (name.equals("conversation_id")) {
                conversation = in.uuidOrNull();
                if (ofPath != null && !ofPath.equals(conversation)) {
                    throw in.invalid("differs from the conversation of the address");
                }
            } else {
                read(name);
            }
        }
        UUID of = ofPath == null ? conversation : ofPath;
        if (of == null) {
            throw in.missing("conversation_id");
        }
        return new NewActivity(
                of,
                required("type", type),
                required("sender", sender),
                text,
                attachments,
                metadata,
                key == null ? headers.idempotencyKey() : key,
                headers.traceparent());
    }

    private void read(String name) throws IOException {
        switch (name) {
            case "type" -> type = name();
            case "sender" -> sender = name();
            case "text" -> text = in.isNull() ? null : text();
            case "attachments" -> attachments = in.isNull() ? "[]" : in.rawArray(ActivityRules.LARGEST_JSON);
            case "metadata" -> metadata = in.isNull() ? "{}" : in.rawObject(ActivityRules.LARGEST_JSON);
            case "idempotency_key" -> key = in.isNull() ? null : key();
            default -> throw in.unknown(FIELDS);
        }
    }

    private String name() throws IOException {
        String value = in.text();
        if (value.isEmpty() || value.length() > ActivityRules.LONGEST_NAME) {
            throw in.invalid("must have 1 to " + ActivityRules.LONGEST_NAME + " characters");
        }
        return value;
    }

    private String text() throws IOException {
        String value = in.text();
        if (value.length() > ActivityRules.LONGEST_TEXT) {
            throw Problem.at(
                            ProblemCode.TOO_LARGE,
                            in.pointer(),
                            "has more than " + ActivityRules.LONGEST_TEXT + " characters")
                    .rejection();
        }
        return value;
    }

    private String key() throws IOException {
        String value = in.text();
        if (value.isEmpty() || value.getBytes(StandardCharsets.UTF_8).length > ActivityRules.LONGEST_KEY) {
            throw in.invalid("must have 1 to " + ActivityRules.LONGEST_KEY + " bytes of UTF-8");
        }
        if (headers.idempotencyKey() != null && !headers.idempotencyKey().equals(value)) {
            throw in.invalid("differs from the Idempotency-Key header");
        }
        return value;
    }

    private String required(String name, @Nullable String value) {
        if (value == null) {
            throw in.missing(name);
        }
        return value;
    }
}
