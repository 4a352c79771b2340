package io.tailrace.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;

/**
 * Whether this instance should get requests, and why not.
 *
 * <p>{@link #stopping()} is the first step of the ordered shutdown: from then on {@code /readyz} answers 503, so that
 * whoever spreads the load looks elsewhere before the intake closes. Thread-safe.
 */
public final class Readiness {
    private final HealthChecks readiness;
    private final HealthChecks startup;
    private volatile boolean started;
    private volatile boolean stopping;

    /**
     * @param entries of {@code /readyz}, in the order in which to show them
     * @param startup of {@code /startupz}: what has to be done once before the instance can work
     */
    public Readiness(Vertx vertx, List<HealthCheck> entries, List<HealthCheck> startup) {
        this.readiness = new HealthChecks(vertx, entries, false, System::nanoTime);
        this.startup = new HealthChecks(vertx, startup, true, System::nanoTime);
    }

    /** Not ready from now on, whatever the checks would say; there is no way back. */
    public void stopping() {
        stopping = true;
    }

    /** Never fails; bounded by the patience for the slowest check. */
    Future<HealthReport> readyz() {
        if (stopping) {
            // The pools may be closing: what the checks would find now says nothing.
            return Future.succeededFuture(new HealthReport(Map.of("process", CheckResult.unready("stopping")), false));
        }
        return readiness.report();
    }

    /** Once all startup checks have been ok together, it stays so: migrations do not un-run. Never fails. */
    Future<HealthReport> startupz() {
        if (started) {
            return Future.succeededFuture(new HealthReport(Map.of("startup", CheckResult.ok()), true));
        }
        return startup.report().onSuccess(report -> started |= report.ready());
    }
}
