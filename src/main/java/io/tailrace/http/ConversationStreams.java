package io.tailrace.http;

import io.tailrace.activity.ActivityService;
import io.tailrace.activity.LiveConversations;
import io.tailrace.wire.ActivityReplies;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** {@code GET /v1/conversations/{id}/stream}: a conversation as it goes on, as Server-Sent Events that resume after a seq. */
final class ConversationStreams {
    private static final CharSequence LAST_EVENT_ID = HttpHeaders.createOptimized("last-event-id");
    private static final Duration TRY_AGAIN = Duration.ofSeconds(5);

    private final ActivityService activities;
    private final LiveConversations live;
    private final Authenticator authenticator;

    ConversationStreams(ActivityService activities, LiveConversations live, Authenticator authenticator) {
        this.activities = activities;
        this.live = live;
        this.authenticator = authenticator;
    }

    void handle(Exchange exchange) {
        Query query = exchange.query(List.of("after"));
        UUID conversation = ActivityRoutes.id(exchange, ActivityReplies::noConversation);
        long after = query.number("after", 0L, 0L, Long.MAX_VALUE);
        ConversationStream stream = new ConversationStream(
                exchange,
                conversation,
                lastEventId(exchange.request().headers(), after),
                activities,
                new ConversationStream.Access(authenticator, exchange));
        // Before the first look, so that nothing falls between the two.
        Optional<Runnable> leave = live.follow(conversation, stream);
        if (leave.isEmpty()) {
            exchange.fail(Problem.of(ProblemCode.OVERLOADED, "too many conversations are followed here")
                    .retryAfter(TRY_AGAIN));
            return;
        }
        stream.begin(leave.get());
    }

    /** Where a client that was cut off goes on: newer than what its address says. */
    private static long lastEventId(MultiMap headers, long after) {
        List<String> all = headers.getAll(LAST_EVENT_ID);
        if (all.isEmpty()) {
            return after;
        }
        try {
            long seq = Long.parseLong(all.get(0));
            if (all.size() == 1 && seq >= 0) {
                return seq;
            }
        } catch (NumberFormatException e) {
            // Answered below, as any other text that is no seq.
        }
        throw Problem.outside(ProblemCode.INVALID_FIELD, "header last-event-id", "must be the id of an event: a seq")
                .rejection();
    }
}
