package io.tailrace.http;

import io.tailrace.activity.ActivityService;
import io.tailrace.wire.BulkAppend;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.RequestHeaders;
import io.vertx.core.Future;

/** {@code POST /v1/activities}: NDJSON or an array. Nothing is stored before the whole body is there. */
final class BulkActivities {
    private final ActivityService activities;

    BulkActivities(ActivityService activities) {
        this.activities = activities;
    }

    void handle(Exchange exchange) {
        RequestHeaders headers = RequestHeaders.of(exchange.request().headers());
        if (headers.idempotencyKey() != null) {
            throw Problem.outside(
                            ProblemCode.INVALID_FIELD,
                            "header idempotency-key",
                            "names one activity; in bulk every line has its own idempotency_key")
                    .rejection();
        }
        boolean ndjson = NdjsonBatches.MEDIA_TYPE.equals(BodyReader.mediaType(exchange.request()));
        Future<BulkAppend> bulk = ndjson
                ? exchange.bytes((body, json) -> BulkAppend.ofNdjson(body, json, headers))
                : exchange.jsonBytes((body, json) -> BulkAppend.ofArray(body, json, headers));
        exchange.answer(bulk.compose(all -> all.append(activities, exchange.tenant())), exchange::reply);
    }
}
