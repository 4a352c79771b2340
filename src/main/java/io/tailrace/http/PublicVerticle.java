package io.tailrace.http;

import io.tailrace.config.HttpConfig;
import io.tailrace.wire.Failures;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** One instance of the public server, on one event loop. */
final class PublicVerticle extends VerticleBase {
    private static final Duration LONGEST_DRAIN = Duration.ofSeconds(10);

    /** What all instances share. */
    record Parts(
            Routes routes,
            Gate gate,
            HttpMetrics metrics,
            HttpConfig config,
            int maxConnections,
            WorkerExecutor workers,
            LongSupplier nanoTime) {}

    private final Parts parts;
    private final Watchdog watchdog;
    private final BodyReader bodies;
    private @Nullable HttpServer server;
    private @Nullable Future<Void> drained;

    PublicVerticle(Parts parts) {
        this.parts = parts;
        HttpConfig.Limits limits = parts.config.limits();
        this.watchdog = new Watchdog(parts.nanoTime, limits.idleTimeout(), parts.maxConnections);
        this.bodies = new BodyReader(limits, parts.workers);
    }

    @Override
    public Future<?> start() {
        HttpServerOptions options = options();
        HttpServer listening = vertx.createHttpServer(options);
        server = listening;
        vertx.setPeriodic(Watchdog.SWEEP.toMillis(), tick -> watchdog.sweep());
        return listening
                .requestHandler(router())
                .invalidRequestHandler(InvalidRequests::answer)
                .connectionHandler(connection -> {
                    DrainHandler.watch(connection);
                    watchdog.opened(connection, options);
                })
                .listen();
    }

    int port() {
        return Objects.requireNonNull(server, "not started").actualPort();
    }

    /** What is in hand is answered first, also when it is the host that undeploys. */
    @Override
    public Future<?> stop() {
        return shutdown(LONGEST_DRAIN);
    }

    /** A second call waits for the first one's end. */
    synchronized Future<Void> shutdown(Duration patience) {
        if (drained == null) {
            drained = server == null
                    ? Future.succeededFuture()
                    : server.shutdown(patience.toMillis(), TimeUnit.MILLISECONDS);
        }
        return drained;
    }

    private HttpServerOptions options() {
        HttpConfig.Limits limits = parts.config.limits();
        int port = parts.config.port();
        return new HttpServerOptions()
                .setHost(parts.config.host())
                // Negative: any free port, the same for all instances of the deployment.
                .setPort(port == 0 ? -1 : port)
                .setTcpNoDelay(true)
                // No WebSockets here: without these, a handler less looks at every message.
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout((int) limits.idleTimeout().toMillis())
                .setMaxHeaderSize(limits.headers().intBytes())
                .setMaxInitialLineLength(limits.line().intBytes())
                // Its upgrade reads the first head of a connection before StrictRequestDecoder is there; and what is
                // not spoken cannot be flooded with resets.
                .setHttp2ClearTextEnabled(false);
    }

    private Router router() {
        Router router = Router.router(vertx);
        for (Route route : parts.routes.all()) {
            router.route(route.method(), route.path()).handler(context -> handle(route, context));
        }
        router.errorHandler(400, context -> fail(context, ProblemCode.MALFORMED, "the address cannot be read"));
        router.errorHandler(404, context -> fail(context, ProblemCode.NOT_FOUND, "there is nothing at this address"));
        router.errorHandler(405, this::wrongMethod);
        router.errorHandler(500, context -> {
            Throwable cause = context.failure();
            Exchange.write(
                    context.response(),
                    Failures.of(cause == null ? new IllegalStateException("failed without a cause") : cause));
        });
        return router;
    }

    private void handle(Route route, RoutingContext context) {
        long began = System.nanoTime();
        HttpServerRequest request = context.request();
        Exchange exchange = new Exchange(route, context, bodies, watchdog);
        watchdog.began(exchange, parts.config.limits().requestTimeout());
        context.addEndHandler(ended -> {
            parts.metrics.record(route, context.response().getStatusCode(), System.nanoTime() - began);
            watchdog.answered(exchange);
            if (ended.succeeded() && !request.isEnded()) {
                // Answered early: the rest of the body may come and be forgotten, within the same time.
                request.endHandler(end -> watchdog.ended(exchange)).exceptionHandler(gone -> watchdog.ended(exchange));
            } else {
                watchdog.ended(exchange);
            }
        });
        parts.gate.pass(exchange);
    }

    private void wrongMethod(RoutingContext context) {
        String path = context.normalizedPath();
        String allowed = parts.routes.at(path).stream()
                .map(route -> route.method().name())
                .sorted()
                .collect(Collectors.joining(", "));
        context.response().putHeader(HttpHeaders.ALLOW, allowed);
        fail(context, ProblemCode.METHOD_NOT_ALLOWED, "this address takes " + allowed);
    }

    private static void fail(RoutingContext context, ProblemCode code, String detail) {
        if (!context.response().ended()) {
            Exchange.write(context.response(), Problem.of(code, detail));
        }
    }
}
