package io.tailrace.http;

import io.tailrace.tenant.Caller;
import io.tailrace.wire.Failures;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.Reply;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** One request and its answer, on its connection's event loop. Answers at most once. */
final class Exchange {
    static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
    private static final CharSequence PROBLEM_JSON = HttpHeaders.createOptimized(Problem.MEDIA_TYPE);
    private static final CharSequence CHALLENGE = HttpHeaders.createOptimized("Bearer");

    private final Route route;
    private final RoutingContext context;
    private final BodyReader bodies;
    private final Watchdog watchdog;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private @Nullable Caller caller;
    private long deadline;

    Exchange(Route route, RoutingContext context, BodyReader bodies, Watchdog watchdog) {
        this.route = route;
        this.context = context;
        this.bodies = bodies;
        this.watchdog = watchdog;
        this.request = context.request();
        this.response = context.response();
    }

    Route route() {
        return route;
    }

    HttpServerRequest request() {
        return request;
    }

    HttpServerResponse response() {
        return response;
    }

    /** Of the monotonic clock, in nanoseconds. */
    void deadline(long nanos) {
        this.deadline = nanos;
    }

    long deadline() {
        return deadline;
    }

    void caller(Caller admitted) {
        this.caller = admitted;
    }

    /** Only for routes that need a key. */
    Caller caller() {
        return Objects.requireNonNull(caller, "a route without a key has no caller");
    }

    UUID tenant() {
        return caller().tenantId();
    }

    /** A part of the path, percent-decoded. */
    String path(String name) {
        return Objects.requireNonNull(context.pathParam(name), name);
    }

    /**
     * The query parameters.
     *
     * @throws Rejection for one that is not among {@code known}, or repeated
     */
    Query query(List<String> known) {
        MultiMap parameters;
        try {
            parameters = context.queryParams();
        } catch (RuntimeException e) {
            throw Problem.outside(ProblemCode.MALFORMED, "query", "is not well-formed")
                    .rejection();
        }
        return new Query(parameters, known);
    }

    /** Lets this request take longer than others. */
    void allow(Duration timeout) {
        watchdog.extend(this, timeout);
    }

    /** Runs when the answer is out, or nobody is there to take it any more. */
    void whenEnded(Runnable action) {
        context.addEndHandler(ended -> action.run());
    }

    void act() {
        try {
            route.action().handle(this);
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** The JSON body as {@code decoder} makes it; fails with a {@link Rejection}. */
    <T> Future<T> json(StrictJson.Decoder<T> decoder) {
        return bodies.json(this, decoder);
    }

    /** The same for a body whose type the caller has checked. */
    <T> Future<T> bytes(BodyReader.Decoder<T> decoder) {
        return bodies.decoded(this, decoder);
    }

    /** The bytes of a body of {@code application/json}. */
    <T> Future<T> jsonBytes(BodyReader.Decoder<T> decoder) {
        return bodies.jsonBytes(this, decoder);
    }

    /** Runs on a worker what takes too long for an event loop. */
    <T> Future<T> blocking(Callable<T> work) {
        return bodies.blocking(work);
    }

    /** Answers with what {@code result} comes to, or with its failure. */
    <T> void answer(Future<T> result, Handler<T> writer) {
        result.onComplete(done -> {
            if (done.failed()) {
                fail(done.cause());
                return;
            }
            try {
                writer.handle(done.result());
            } catch (RuntimeException e) {
                fail(e);
            }
        });
    }

    void reply(Reply reply) {
        json(reply.status(), reply.content());
    }

    void json(int status, JsonBody.Content content) {
        end(status, JSON, JsonBody.of(content));
    }

    void end(int status, CharSequence mediaType, Buffer body) {
        if (open()) {
            response.setStatusCode(status)
                    .putHeader(HttpHeaders.CONTENT_TYPE, mediaType)
                    .end(body);
        }
    }

    void fail(Throwable cause) {
        fail(Failures.of(cause));
    }

    /** Completes when the answer is out; at once when there is nobody to answer. */
    Future<Void> fail(Problem problem) {
        return open() ? write(response, problem) : Future.succeededFuture();
    }

    /** Whether there is still somebody to answer and nothing was said yet. */
    boolean open() {
        return !response.ended() && !response.closed() && !response.headWritten();
    }

    static Future<Void> write(HttpServerResponse response, Problem problem) {
        response.setStatusCode(problem.code().status()).putHeader(HttpHeaders.CONTENT_TYPE, PROBLEM_JSON);
        if (problem.retryAfter() != null) {
            response.putHeader(
                    HttpHeaders.RETRY_AFTER, Long.toString(problem.retryAfter().toSeconds()));
        }
        if (problem.code() == ProblemCode.UNAUTHORIZED) {
            response.putHeader("www-authenticate", CHALLENGE);
        }
        return response.end(JsonBody.of(problem::write));
    }
}
