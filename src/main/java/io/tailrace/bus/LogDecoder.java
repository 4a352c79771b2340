package io.tailrace.bus;

import io.tailrace.activity.ActivityRules;
import io.tailrace.activity.DeliveryRequest;
import io.tailrace.activity.DeliveryStatus;
import io.tailrace.wire.ActivityCursor;
import io.tailrace.wire.ActivityReplies;
import io.tailrace.wire.DeliveryDecoder;
import io.tailrace.wire.JsonReader;
import io.tailrace.wire.Rejection;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is asked of the log: the members of HTTP's body, and beside them what HTTP takes from a path and a query. */
final class LogDecoder {
    private static final List<String> ID = List.of("id");
    private static final List<String> PAGE = List.of("conversation_id", "after", "limit", "cursor");
    private static final List<String> DELIVERIES = List.of("activity_id", "channel_id", "status");
    private static final List<String> DELIVERY = List.of("activity_id", "channel_ids", "metadata", "outbox");
    private static final int UUID_LENGTH = 36;

    /** A page of a conversation. */
    record Page(ActivityCursor.List list, ActivityCursor.Start start, int limit) {}

    /** Deliveries to be made of an activity. */
    record Create(UUID activity, DeliveryRequest request) {}

    /** Deliveries of an activity to look at; null: any. */
    record Deliveries(
            UUID activity, @Nullable UUID channel, @Nullable DeliveryStatus status) {}

    private LogDecoder() {}

    static UUID activity(JsonReader in) throws IOException {
        return id(LookDecoder.only(in, ID), ActivityReplies::noActivity);
    }

    static UUID conversation(JsonReader in) throws IOException {
        return id(LookDecoder.only(in, ID), ActivityReplies::noConversation);
    }

    static Page page(JsonReader in, UUID tenant) throws IOException {
        in.beginObject();
        String conversation = null;
        long after = 0;
        int limit = ActivityRules.PAGE;
        String cursor = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "conversation_id" -> conversation = in.text();
                case "after" -> after = in.number(0, Long.MAX_VALUE);
                case "limit" -> limit = (int) in.number(1, ActivityRules.MOST_ON_A_PAGE);
                case "cursor" -> cursor = in.textOrNull();
                default -> throw in.unknown(PAGE);
            }
        }
        if (conversation == null) {
            throw in.missing("conversation_id");
        }
        ActivityCursor.List list = new ActivityCursor.List(tenant, id(conversation, ActivityReplies::noConversation));
        return new Page(list, ActivityCursor.start(list, cursor, after), limit);
    }

    static Create create(JsonReader in) throws IOException {
        in.beginObject();
        String activity = null;
        DeliveryDecoder.Wanted wanted = new DeliveryDecoder.Wanted();
        String name;
        while ((name = in.nextName()) != null) {
            if (name.equals("activity_id")) {
                activity = in.text();
            } else if (!wanted.take(in, name)) {
                throw in.unknown(DELIVERY);
            }
        }
        if (activity == null) {
            throw in.missing("activity_id");
        }
        return new Create(id(activity, ActivityReplies::noActivity), wanted.request(in));
    }

    static Deliveries deliveries(JsonReader in) throws IOException {
        in.beginObject();
        String activity = null;
        UUID channel = null;
        DeliveryStatus status = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "activity_id" -> activity = in.text();
                case "channel_id" -> channel = in.uuidOrNull();
                case "status" -> status = DeliveryDecoder.filter(in.textOrNull(), "member status");
                default -> throw in.unknown(DELIVERIES);
            }
        }
        if (activity == null) {
            throw in.missing("activity_id");
        }
        return new Deliveries(id(activity, ActivityReplies::noActivity), channel, status);
    }

    /** What is no UUID names nothing. */
    private static UUID id(String text, Supplier<Rejection> notFound) {
        if (text.length() == UUID_LENGTH) {
            try {
                return UUID.fromString(text);
            } catch (IllegalArgumentException e) {
                // Answered below, as any other id that names nothing.
            }
        }
        throw notFound.get();
    }
}
