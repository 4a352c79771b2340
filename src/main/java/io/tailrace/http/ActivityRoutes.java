package io.tailrace.http;

import io.tailrace.activity.ActivityPage;
import io.tailrace.activity.ActivityRules;
import io.tailrace.activity.ActivityService;
import io.tailrace.activity.AppendResult;
import io.tailrace.activity.ConversationService;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.ActivityCursor;
import io.tailrace.wire.ActivityDecoder;
import io.tailrace.wire.ActivityReplies;
import io.tailrace.wire.ConversationDecoder;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.Uuids;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/** Conversations and their activities. */
final class ActivityRoutes {
    static final Set<Scope> ACTIVITIES = Set.of(Scope.ACTIVITIES);
    private static final CharSequence REPLAYED = HttpHeaders.createOptimized("idempotent-replayed");

    private final ActivityService activities;
    private final ConversationService conversations;
    private final BulkActivities bulk;

    ActivityRoutes(ActivityService activities, ConversationService conversations) {
        this.activities = activities;
        this.conversations = conversations;
        this.bulk = new BulkActivities(activities);
    }

    List<Route> routes() {
        return List.of(
                new Route(HttpMethod.POST, "/v1/conversations/{id}/activities", ACTIVITIES, this::append),
                new Route(HttpMethod.GET, "/v1/conversations/{id}/activities", ACTIVITIES, this::list),
                new Route(HttpMethod.POST, "/v1/activities", ACTIVITIES, bulk::handle),
                new Route(HttpMethod.GET, "/v1/activities/{id}", ACTIVITIES, this::find),
                new Route(HttpMethod.DELETE, "/v1/activities/{id}", ACTIVITIES, this::delete),
                new Route(HttpMethod.POST, "/v1/conversations", ACTIVITIES, this::createConversation),
                new Route(HttpMethod.GET, "/v1/conversations/{id}", ACTIVITIES, this::findConversation),
                new Route(HttpMethod.DELETE, "/v1/conversations/{id}", ACTIVITIES, this::deleteConversation));
    }

    private void append(Exchange exchange) {
        UUID conversation = id(exchange, ActivityReplies::noConversation);
        RequestHeaders headers = RequestHeaders.of(exchange.request().headers());
        Future<AppendResult> result = exchange.json(in -> ActivityDecoder.decode(in, conversation, headers))
                .compose(activity -> activities.append(exchange.tenant(), activity));
        exchange.answer(result, it -> {
            if (it instanceof AppendResult.Replayed) {
                exchange.response().putHeader(REPLAYED, "true");
            }
            exchange.reply(ActivityReplies.appended(it));
        });
    }

    private void list(Exchange exchange) {
        Query query = exchange.query(List.of("after", "limit", "cursor"));
        UUID conversation = id(exchange, ActivityReplies::noConversation);
        ActivityCursor.List list = new ActivityCursor.List(exchange.tenant(), conversation);
        ActivityCursor.Start start =
                ActivityCursor.start(list, query.text("cursor"), query.number("after", 0L, 0L, Long.MAX_VALUE));
        int limit = query.number("limit", ActivityRules.PAGE, 1, ActivityRules.MOST_ON_A_PAGE);
        Future<Optional<ActivityPage>> page =
                activities.page(exchange.tenant(), conversation, start.after(), start.since(), limit);
        exchange.answer(page, found -> exchange.reply(ActivityReplies.page(list, found)));
    }

    private void find(Exchange exchange) {
        exchange.query(List.of());
        UUID id = id(exchange, ActivityReplies::noActivity);
        exchange.answer(
                activities.find(exchange.tenant(), id), found -> exchange.reply(ActivityReplies.activity(found)));
    }

    private void delete(Exchange exchange) {
        exchange.query(List.of());
        UUID id = id(exchange, ActivityReplies::noActivity);
        exchange.answer(
                activities.delete(exchange.tenant(), id),
                result -> exchange.reply(ActivityReplies.deleted(result, ActivityReplies.noActivity())));
    }

    private void createConversation(Exchange exchange) {
        exchange.answer(
                exchange.json(ConversationDecoder::decode)
                        .compose(wanted -> conversations.create(
                                exchange.tenant(), wanted.id(), wanted.channelId(), wanted.metadataJson())),
                result -> exchange.reply(ActivityReplies.conversation(result)));
    }

    private void findConversation(Exchange exchange) {
        exchange.query(List.of());
        UUID id = id(exchange, ActivityReplies::noConversation);
        exchange.answer(
                conversations.find(exchange.tenant(), id),
                found -> exchange.reply(ActivityReplies.conversation(found)));
    }

    private void deleteConversation(Exchange exchange) {
        exchange.query(List.of());
        UUID id = id(exchange, ActivityReplies::noConversation);
        exchange.answer(
                conversations.delete(exchange.tenant(), id),
                result -> exchange.reply(ActivityReplies.deleted(result, ActivityReplies.noConversation())));
    }

    /** What is no UUID names nothing. */
    static UUID id(Exchange exchange, Supplier<Rejection> notFound) {
        return Uuids.parse(exchange.path("id")).orElseThrow(notFound);
    }
}
