package io.tailrace.http;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tailrace.config.ManagementConfig;
import io.tailrace.wire.Failures;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.BodyHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The management port: health and metrics for whoever reaches it, administration for whoever has the admin token.
 *
 * <p>Listens on loopback unless configured otherwise, and needs PostgreSQL neither to start nor to say that it is gone.
 */
public final class ManagementServer {
    private static final int MAX_BODY_BYTES = 64 * 1024;
    private static final int IDLE_SECONDS = 60;
    private static final int MAX_REQUEST_LINE = 4_096;

    private final ManagementConfig config;
    private final HttpServer server;

    /**
     * @param meters what {@code /metrics} writes out; null when somebody else shows them
     * @param workers where metrics are written out
     * @param administration what {@code /admin} acts on
     */
    public ManagementServer(
            Vertx vertx,
            ManagementConfig config,
            Readiness readiness,
            @Nullable PrometheusMeterRegistry meters,
            WorkerExecutor workers,
            Administration administration) {
        this.config = config;
        Router router = Router.router(vertx);
        new HealthRoutes(vertx, readiness, meters, workers).mount(router);
        ManagementApi.mount(router);
        router.route("/admin/*").handler(new AdminGate(config.adminToken()));
        router.route("/admin/*").handler(BodyHandler.create(false).setBodyLimit(MAX_BODY_BYTES));
        router.route("/admin/*").handler(context -> onceStarted(context, readiness));
        administration.mount(router);
        router.route().failureHandler(ManagementServer::failed);
        for (int status : new int[] {400, 404, 405, 413, 415, 500}) {
            router.errorHandler(status, ManagementServer::failed);
        }
        this.server = vertx.createHttpServer(new HttpServerOptions()
                        .setHost(config.host())
                        .setPort(config.port())
                        .setHttp2ClearTextEnabled(false)
                        .setMaxInitialLineLength(MAX_REQUEST_LINE)
                        .setIdleTimeout(IDLE_SECONDS)
                        .setIdleTimeoutUnit(TimeUnit.SECONDS))
                .requestHandler(router)
                .invalidRequestHandler(InvalidRequests::answer);
    }

    /** Completes with the port listened on; fails when it is taken. */
    public Future<Integer> start() {
        return server.listen(config.port(), config.host()).map(HttpServer::actualPort);
    }

    /** Takes no more connections and answers what is in hand, for at most {@code timeout}. */
    public Future<Void> shutdown(Duration timeout) {
        return server.shutdown(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Before the schema stands there is nothing to administer, and its absence is no error of ours. */
    private static void onceStarted(RoutingContext context, Readiness readiness) {
        Answers.here(context, readiness.startupz()).onSuccess(report -> {
            if (report.ready()) {
                context.next();
            } else {
                Answers.fail(
                        context,
                        Problem.of(
                                        ProblemCode.DATABASE_UNAVAILABLE,
                                        "the service is starting; /startupz says what it waits for")
                                .retryAfter(Duration.ofSeconds(1)));
            }
        });
    }

    private static void failed(RoutingContext context) {
        Throwable cause = context.failure();
        Problem problem =
                switch (context.statusCode()) {
                    case 400 -> Problem.of(ProblemCode.MALFORMED, "the request cannot be read");
                    case 404 -> Problem.of(ProblemCode.NOT_FOUND, "there is nothing at this address");
                    case 405 -> Problem.of(ProblemCode.METHOD_NOT_ALLOWED, "the method is not supported here");
                    case 413 ->
                        Problem.of(ProblemCode.TOO_LARGE, "the body is larger than " + MAX_BODY_BYTES + " bytes");
                    default -> Failures.of(cause == null ? new IllegalStateException("failed without a cause") : cause);
                };
        Answers.fail(context, problem);
    }
}
