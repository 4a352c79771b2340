package io.tailrace.bus;

import io.tailrace.activity.ActivityRules;
import io.tailrace.wire.ActivityCursor;
import io.tailrace.wire.ActivityReplies;
import io.tailrace.wire.JsonReader;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.Uuids;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

/** What is asked of the log: the members of HTTP's body, and beside them what HTTP takes from a path and a query. */
final class LogDecoder {
    private static final List<String> ID = List.of("id");
    private static final List<String> PAGE = List.of("conversation_id", "after", "limit", "cursor");

    /** A page of a conversation. */
    record Page(ActivityCursor.List list, ActivityCursor.Start start, int limit) {}

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

    /** What is no UUID names nothing. */
    private static UUID id(String text, Supplier<Rejection> notFound) {
        return Uuids.parse(text).orElseThrow(notFound);
    }
}
