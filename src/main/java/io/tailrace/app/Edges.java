package io.tailrace.app;

import io.tailrace.bus.BusServices;
import io.tailrace.bus.OutboxOnBus;
import io.tailrace.config.TailraceConfig;
import io.tailrace.http.PublicServer;
import io.tailrace.http.PublicServices;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The public server and the event bus, where they are enabled: verticles, as many as event loops are used.
 *
 * <p>They are children of nobody. Vert.x undeploys children before it asks their parent to stop, and requests in hand would
 * be cut before the drain had begun. Thread-safe.
 */
final class Edges {
    private static final Duration LONGEST_RESERVE = Duration.ofSeconds(5);

    private final Vertx vertx;
    private final TailraceConfig config;
    private volatile @Nullable PublicServer publicServer;
    private volatile @Nullable OutboxOnBus bus;

    Edges(Vertx vertx, TailraceConfig config) {
        this.vertx = vertx;
        this.config = config;
    }

    /** Completes with the port; at once when it is not to be opened. */
    Future<Void> startPublic(PublicServices services) {
        if (!config.http().enabled()) {
            return Future.succeededFuture();
        }
        return Listening.on("http", config.http().host(), config.http().port(), () -> atTheTop(
                                () -> PublicServer.start(vertx, services, config.http(), instances()))
                        .map(server -> {
                            publicServer = server;
                            return server.port();
                        }))
                .mapEmpty();
    }

    /** Completes when every address is registered; at once when none is to be. */
    Future<Void> startBus(BusServices services) {
        if (!config.bus().enabled()) {
            return Future.succeededFuture();
        }
        return atTheTop(() -> OutboxOnBus.start(
                        vertx, services, config.bus(), config.http().limits(), instances()))
                .onSuccess(started -> bus = started)
                .mapEmpty();
    }

    private <T> Future<T> atTheTop(Supplier<Future<T>> deploy) {
        Promise<T> deployed = ((ContextInternal) vertx.getOrCreateContext()).promise();
        // A context of no deployment: what is deployed from it has no parent.
        ((VertxInternal) vertx).createEventLoopContext().runOnContext(top -> Future.succeededFuture()
                .compose(now -> deploy.get())
                .onComplete(deployed));
        return deployed.future();
    }

    private int instances() {
        int configured = config.runtime().eventLoops();
        return configured > 0 ? configured : Runtime.getRuntime().availableProcessors();
    }

    /** The public port; the configured one when it was not opened. */
    int port() {
        PublicServer server = publicServer;
        return server == null ? config.http().port() : server.port();
    }

    /** The steps of an ordered end that are theirs: nothing new, what is in hand answered, verticles gone. */
    Shutdown end(Shutdown shutdown) {
        PublicServer server = publicServer;
        OutboxOnBus onBus = bus;
        return shutdown.then(
                        "public requests",
                        left -> server == null ? Future.succeededFuture() : server.shutdown(patience(left)))
                .then("bus requests", left -> onBus == null ? Future.succeededFuture() : onBus.shutdown(patience(left)))
                .then("edges", left -> undeploy(server, onBus));
    }

    private Future<?> undeploy(@Nullable PublicServer server, @Nullable OutboxOnBus onBus) {
        if (((VertxInternal) vertx).closeFuture().isClosed()) {
            // Whoever owns Vert.x closes it: it undeploys them itself, and complains of those that are gone.
            return Future.succeededFuture();
        }
        return Future.join(
                server == null ? Future.succeededFuture() : vertx.undeploy(server.deploymentId()),
                onBus == null ? Future.succeededFuture() : vertx.undeploy(onBus.deploymentId()));
    }

    /** Of what is left, what requests may take: flushes and connections need the rest. */
    private static Duration patience(Duration left) {
        Duration reserve = left.dividedBy(4);
        return left.minus(reserve.compareTo(LONGEST_RESERVE) > 0 ? LONGEST_RESERVE : reserve);
    }
}
