package io.tailrace.http;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** {@code /livez}, {@code /readyz}, {@code /startupz}, {@code /metrics}: open to whoever reaches the port. */
final class HealthRoutes {
    private static final String PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8";

    private final HealthChecks liveness;
    private final Readiness readiness;
    private final @Nullable PrometheusMeterRegistry meters;
    private final WorkerExecutor workers;

    HealthRoutes(Vertx vertx, Readiness readiness, @Nullable PrometheusMeterRegistry meters, WorkerExecutor workers) {
        this.liveness = new HealthChecks(vertx, List.of(new EventLoopCheck(vertx)), true, System::nanoTime);
        this.readiness = readiness;
        this.meters = meters;
        this.workers = workers;
    }

    void mount(Router router) {
        router.get("/livez").handler(probe(liveness::report));
        router.get("/readyz").handler(probe(readiness::readyz));
        router.get("/startupz").handler(probe(readiness::startupz));
        router.get("/metrics").handler(this::scrape);
    }

    private static Handler<RoutingContext> probe(Supplier<Future<HealthReport>> probe) {
        return context -> Answers.send(
                context, probe.get().map(report -> new Answers.Answer(report.httpStatus(), report::write)));
    }

    private void scrape(RoutingContext context) {
        // Writing thousands of series takes longer than an event loop should be held.
        PrometheusMeterRegistry registry = meters;
        if (registry == null) {
            Answers.fail(
                    context,
                    Problem.of(ProblemCode.NOT_FOUND, "the application that embeds this service shows the metrics"));
            return;
        }
        workers.executeBlocking(() -> Buffer.buffer(registry.scrape()), false)
                .onSuccess(text -> context.response()
                        .putHeader(HttpHeaders.CONTENT_TYPE, PROMETHEUS_TEXT)
                        .end(text))
                .onFailure(cause -> Answers.fail(context, cause));
    }
}
