package io.tailrace.http;

import io.tailrace.wire.Failures;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.internal.ContextInternal;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** Writes the management port's answers, on the connection's event loop, at most one a request. */
final class Answers {
    private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");

    /** @param content null for an answer without a body */
    record Answer(int status, JsonBody.@Nullable Content content) {
        static Answer ok(JsonBody.Content content) {
            return new Answer(200, content);
        }

        static Answer created(JsonBody.Content content) {
            return new Answer(201, content);
        }

        static Answer noContent() {
            return new Answer(204, null);
        }
    }

    private Answers() {}

    /** Answers with what {@code answer} comes to, or with its failure. */
    static void send(RoutingContext context, Future<Answer> answer) {
        here(context, answer).onComplete(done -> {
            try {
                if (done.succeeded()) {
                    write(context, done.result());
                } else {
                    fail(context, done.cause());
                }
            } catch (RuntimeException e) {
                fail(context, e);
            }
        });
    }

    /** The same on the request's own event loop, whoever completes it. */
    static <T> Future<T> here(RoutingContext context, Future<T> result) {
        Promise<T> here = ((ContextInternal) context.vertx().getOrCreateContext()).promise();
        result.onComplete(here);
        return here.future();
    }

    private static void write(RoutingContext context, Answer answer) {
        HttpServerResponse response = context.response();
        if (!open(response)) {
            return;
        }
        response.setStatusCode(answer.status());
        JsonBody.Content content = answer.content();
        if (content == null) {
            response.end();
        } else {
            response.putHeader(HttpHeaders.CONTENT_TYPE, JSON).end(JsonBody.of(content));
        }
    }

    static void fail(RoutingContext context, Throwable cause) {
        fail(context, Failures.of(cause));
    }

    static void fail(RoutingContext context, Problem problem) {
        if (open(context.response())) {
            Exchange.write(context.response(), problem);
        }
    }

    private static boolean open(HttpServerResponse response) {
        return !response.ended() && !response.closed() && !response.headWritten();
    }
}
