package io.tailrace.bus;

import io.tailrace.activity.ActivityService;
import io.tailrace.activity.ConversationService;
import io.tailrace.wire.ActivityDecoder;
import io.tailrace.wire.ActivityReplies;
import io.tailrace.wire.BulkAppend;
import io.tailrace.wire.ConversationDecoder;
import io.tailrace.wire.RequestHeaders;
import java.util.List;

/** Conversations and their activities. */
final class ActivityOperations {
    private final ActivityService activities;
    private final ConversationService conversations;

    ActivityOperations(ActivityService activities, ConversationService conversations) {
        this.activities = activities;
        this.conversations = conversations;
    }

    List<Operation<?>> all() {
        return List.of(
                new Operation<>(
                        ActivityAddresses.APPEND,
                        "POST /v1/conversations/{id}/activities",
                        Operation.Body.JSON,
                        (request, json) -> json.read(
                                request.body().getBytes(), in -> ActivityDecoder.decode(in, headers(request))),
                        (tenant, activity) ->
                                activities.append(tenant, activity).map(it -> Answer.of(ActivityReplies.appended(it)))),
                new Operation<>(
                        ActivityAddresses.BULK,
                        "POST /v1/activities",
                        Operation.Body.JSON,
                        (request, json) ->
                                BulkAppend.ofArrayOrItems(request.body().getBytes(), json, headers(request)),
                        (tenant, bulk) -> bulk.append(activities, tenant).map(Answer::of)),
                Operation.json(
                        ActivityAddresses.LIST,
                        "GET /v1/conversations/{id}/activities",
                        LogDecoder::page,
                        (tenant, page) -> activities
                                .page(
                                        tenant,
                                        page.list().conversation(),
                                        page.start().after(),
                                        page.start().since(),
                                        page.limit())
                                .map(found -> Answer.of(ActivityReplies.page(page.list(), found)))),
                Operation.json(
                        ActivityAddresses.GET,
                        "GET /v1/activities/{id}",
                        LogDecoder::activity,
                        (tenant, id) ->
                                activities.find(tenant, id).map(found -> Answer.of(ActivityReplies.activity(found)))),
                Operation.json(
                        ActivityAddresses.DELETE,
                        "DELETE /v1/activities/{id}",
                        LogDecoder::activity,
                        (tenant, id) -> activities
                                .delete(tenant, id)
                                .map(it -> Answer.of(ActivityReplies.deleted(it, ActivityReplies.noActivity())))),
                Operation.json(
                        ActivityAddresses.CREATE_CONVERSATION,
                        "POST /v1/conversations",
                        ConversationDecoder::decode,
                        (tenant, wanted) -> conversations
                                .create(tenant, wanted.id(), wanted.channelId(), wanted.metadataJson())
                                .map(it -> Answer.of(ActivityReplies.conversation(it)))),
                Operation.json(
                        ActivityAddresses.GET_CONVERSATION,
                        "GET /v1/conversations/{id}",
                        LogDecoder::conversation,
                        (tenant, id) -> conversations
                                .find(tenant, id)
                                .map(found -> Answer.of(ActivityReplies.conversation(found)))),
                Operation.json(
                        ActivityAddresses.DELETE_CONVERSATION,
                        "DELETE /v1/conversations/{id}",
                        LogDecoder::conversation,
                        (tenant, id) -> conversations
                                .delete(tenant, id)
                                .map(it -> Answer.of(ActivityReplies.deleted(it, ActivityReplies.noConversation())))));
    }

    private static RequestHeaders headers(Operation.Request request) {
        return new RequestHeaders(null, RequestHeaders.traceparent(request.headers()));
    }
}
