package io.tailrace.app;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An embedded service's meters: in the host's registry for as long as it runs, or in one of their own. */
final class EmbeddedMeters {
    private final Composition.Meters meters;
    private final @Nullable MeterRegistry host;

    private EmbeddedMeters(Composition.Meters meters, @Nullable MeterRegistry host) {
        this.meters = meters;
        this.host = host;
    }

    static EmbeddedMeters over(@Nullable MeterRegistry host) {
        if (host == null) {
            PrometheusMeterRegistry own = Metrics.forService();
            return new EmbeddedMeters(new Composition.Meters(own, own), null);
        }
        // A layer between, so that at the end it is known which of the host's meters are ours.
        CompositeMeterRegistry ours = new CompositeMeterRegistry();
        ours.add(host);
        PrometheusMeterRegistry shown = host instanceof PrometheusMeterRegistry it ? it : null;
        return new EmbeddedMeters(new Composition.Meters(ours, shown), host);
    }

    Composition.Meters meters() {
        return meters;
    }

    /** Leaves nothing of ours in the host's registry, which stays open. */
    void close() {
        MeterRegistry registry = meters.registry();
        if (host != null && registry instanceof CompositeMeterRegistry layer) {
            List<Meter> ours = List.copyOf(layer.getMeters());
            // First, or closing the layer would close the host's registry with it.
            layer.remove(host);
            ours.forEach(meter -> host.removeByPreFilterId(meter.getId()));
        }
        registry.close();
    }
}
