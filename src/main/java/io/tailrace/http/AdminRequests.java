package io.tailrace.http;

import io.tailrace.http.Answers.Answer;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;

/** From a request on the management port to a handler that knows no HTTP server. */
final class AdminRequests {
    private AdminRequests() {}

    /** A request without a body. */
    static Handler<RoutingContext> plain(Function<RoutingContext, Future<Answer>> handler) {
        return context -> answer(context, () -> handler.apply(context));
    }

    /** A request with a JSON body, which BodyHandler has read within its limit. */
    static Handler<RoutingContext> json(BiFunction<RoutingContext, byte[], Future<Answer>> handler) {
        return context -> answer(context, () -> {
            byte[] body = context.body().buffer() == null
                    ? new byte[0]
                    : context.body().buffer().getBytes();
            if (body.length > 0 && !"application/json".equals(BodyReader.mediaType(context.request()))) {
                throw Problem.outside(
                                ProblemCode.UNSUPPORTED_MEDIA_TYPE, "header content-type", "must be application/json")
                        .rejection();
            }
            if (context.request().getHeader(HttpHeaders.CONTENT_ENCODING) != null) {
                throw Problem.outside(
                                ProblemCode.UNSUPPORTED_MEDIA_TYPE, "header content-encoding", "must not be there")
                        .rejection();
            }
            return handler.apply(context, body);
        });
    }

    private interface Work {
        Future<Answer> begin();
    }

    private static void answer(RoutingContext context, Work work) {
        Future<Answer> answer;
        try {
            answer = work.begin();
        } catch (RuntimeException e) {
            answer = Future.failedFuture(e);
        }
        Answers.send(context, answer);
    }

    /** A part of the path, percent-decoded. */
    static String path(RoutingContext context, String name) {
        return Objects.requireNonNull(context.pathParam(name), name);
    }
}
