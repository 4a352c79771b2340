package io.tailrace.http;

import io.tailrace.config.HttpConfig;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;

/**
 * The public HTTP server: as many instances as event loops were given to it, all on one port, connections spread over
 * them. Thread-safe.
 */
public final class PublicServer {
    private final List<PublicVerticle> instances = new CopyOnWriteArrayList<>();
    private volatile String deployment = "";

    private PublicServer() {}

    /**
     * Starts listening.
     *
     * @param instances event loops to spread over
     * @return fails when the address is taken
     */
    public static Future<PublicServer> start(Vertx vertx, PublicServices services, HttpConfig config, int instances) {
        return start(vertx, services, config, instances, System::nanoTime);
    }

    /** With a monotonic clock of the caller's own for time-outs and rates, in nanoseconds. */
    static Future<PublicServer> start(
            Vertx vertx, PublicServices services, HttpConfig config, int instances, LongSupplier nanoTime) {
        PublicServer server = new PublicServer();
        PublicVerticle.Parts parts = new PublicVerticle.Parts(
                new Routes(services),
                new Gate(
                        services.authenticator(), new RateLimits(config.limits().ratePerKey(), nanoTime)),
                new HttpMetrics(services.meters()),
                config,
                Math.max(1, config.limits().connections() / instances),
                services.workers(),
                nanoTime);
        return vertx.deployVerticle(() -> server.instance(parts), new DeploymentOptions().setInstances(instances))
                .map(deployed -> {
                    server.deployment = deployed;
                    return server;
                });
    }

    private PublicVerticle instance(PublicVerticle.Parts parts) {
        PublicVerticle instance = new PublicVerticle(parts);
        instances.add(instance);
        return instance;
    }

    /** What to undeploy after {@link #shutdown}. */
    public String deploymentId() {
        return deployment;
    }

    /** The port it listens on. */
    public int port() {
        return instances.get(0).port();
    }

    /**
     * Takes no new connections, lets the requests in hand finish, then closes; whatever is not done in {@code patience}
     * is cut off. Long polls should be ended by their capability first.
     */
    public Future<Void> shutdown(Duration patience) {
        return Future.join(instances.stream().map(it -> it.shutdown(patience)).toList())
                .mapEmpty();
    }
}
