package io.tailrace.bus;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** Requests over the bus, by address and outcome: {@code ok} or a problem code. */
final class BusMetrics {
    private final MeterRegistry meters;

    BusMetrics(MeterRegistry meters, InFlight inFlight) {
        this.meters = meters;
        Gauge.builder("tailrace.bus.in.flight", inFlight, InFlight::now)
                .description("requests under way on the event bus")
                .register(meters);
    }

    void done(String address, String outcome, long nanos) {
        Timer.builder("tailrace.bus.requests")
                .description("requests over the event bus, until they were answered")
                .tag("address", address)
                .tag("outcome", outcome)
                .register(meters)
                .record(nanos, TimeUnit.NANOSECONDS);
    }
}
