package io.tailrace.app;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.VertxBuilder;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.micrometer.Label;
import io.vertx.micrometer.MetricsDomain;
import io.vertx.micrometer.MicrometerMetricsFactory;
import io.vertx.micrometer.MicrometerMetricsOptions;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;

/** The one registry (OPS-1): the service's own meters, Vert.x's, the JVM's and the process's, all in base units. */
final class Metrics implements AutoCloseable {
    private static final int WORKER_THREADS = 8;

    private final PrometheusMeterRegistry registry = forService();
    private final JvmGcMetrics gc = new JvmGcMetrics();

    Metrics() {
        // Micrometer counts the process's CPU time in nanoseconds; Prometheus expects seconds.
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"));
        gc.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
            FunctionCounter.builder("process.cpu", system, it -> it.getProcessCpuTime() / 1e9)
                    .baseUnit("seconds")
                    .description("CPU time of this process, user and system")
                    .register(registry);
        }
        new FileDescriptorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /** A registry for the service's own meters alone. Whoever asks for it closes it. */
    static PrometheusMeterRegistry forService() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry.config().meterFilter(requestHistogram());
        return registry;
    }

    /** Quantiles over instances need buckets; only the one timer that alerts are made from has them. */
    private static MeterFilter requestHistogram() {
        double[] bounds = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
        double[] nanos = Arrays.stream(bounds)
                .map(seconds -> seconds * Duration.ofSeconds(1).toNanos())
                .toArray();
        return new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return id.getName().equals("tailrace.http.requests")
                        ? DistributionStatisticConfig.builder()
                                .serviceLevelObjectives(nanos)
                                .build()
                                .merge(config)
                        : config;
            }
        };
    }

    PrometheusMeterRegistry registry() {
        return registry;
    }

    /** A Vert.x whose measurements land here. Labels with an unbounded number of values (paths, peers) are left out. */
    Vertx vertx(int eventLoops) {
        MicrometerMetricsOptions options = new MicrometerMetricsOptions()
                .setEnabled(true)
                .setLabels(EnumSet.of(Label.POOL_TYPE, Label.POOL_NAME, Label.CLIENT_NAME, Label.NAMESPACE))
                .addDisabledMetricsCategory(MetricsDomain.EVENT_BUS)
                // The public server measures its requests itself, by route and without asking twice for the time.
                .addDisabledMetricsCategory(MetricsDomain.HTTP_SERVER)
                .addDisabledMetricsCategory(MetricsDomain.HTTP_CLIENT)
                .addDisabledMetricsCategory(MetricsDomain.NET_CLIENT)
                .addDisabledMetricsCategory(MetricsDomain.NET_SERVER)
                .addDisabledMetricsCategory(MetricsDomain.DATAGRAM_SOCKET)
                .addDisabledMetricsCategory(MetricsDomain.VERTICLES);
        VertxOptions vertxOptions = new VertxOptions()
                .setMetricsOptions(options)
                .setEventLoopPoolSize(eventLoops)
                .setWorkerPoolSize(WORKER_THREADS)
                .setInternalBlockingPoolSize(WORKER_THREADS)
                .setFileSystemOptions(new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false));
        VertxBuilder builder = Vertx.builder().with(vertxOptions);
        return builder.withMetrics(new MicrometerMetricsFactory(registry)).build();
    }

    @Override
    public void close() {
        gc.close();
        registry.close();
    }
}
