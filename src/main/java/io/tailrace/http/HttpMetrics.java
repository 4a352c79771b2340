package io.tailrace.http;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Time from a request's head to the end of its answer, by route and status. No tenant label: tenants are unbounded. */
final class HttpMetrics {
    private record Key(Route route, int status) {}

    private final MeterRegistry registry;
    private final ConcurrentHashMap<Key, Timer> timers = new ConcurrentHashMap<>();

    HttpMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    void record(Route route, int status, long nanos) {
        timers.computeIfAbsent(new Key(route, status), this::timer).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer timer(Key key) {
        return Timer.builder("tailrace.http.requests")
                .description("Requests to the public server, from head to the end of the answer")
                .tag("method", key.route.method().name())
                .tag("route", key.route.template())
                .tag("status", Integer.toString(key.status))
                .register(registry);
    }
}
