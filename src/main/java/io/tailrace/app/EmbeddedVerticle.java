package io.tailrace.app;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.shareddata.LocalMap;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What owns an embedded service: pools, executors and timers are made on its context, so that Vert.x closes them with it
 * and not before it, even when the host closes its Vert.x without a word.
 */
final class EmbeddedVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedVerticle.class);
    private static final String REGISTER = "tailrace";
    private static final String EMBEDDED = "embedded";
    /** Over the longest {@code shutdown.timeout}: no warning that a worker is blocked. */
    private static final Duration LONGEST_SHUTDOWN = Duration.ofMinutes(15);

    private final EmbeddingOptions options;
    private final Promise<Boolean> ended = Promise.promise();
    private @Nullable WorkerExecutor shutdown;
    private @Nullable EmbeddedMeters meters;
    private volatile @Nullable Composition composition;

    EmbeddedVerticle(EmbeddingOptions options) {
        this.options = options;
    }

    @Override
    public Future<?> start() {
        if (register().putIfAbsent(EMBEDDED, true) != null) {
            return Future.failedFuture(new IllegalStateException(
                    "this Vert.x has a Tailrace already, and two would answer at the same addresses: close that one"
                            + " first, or give this one a Vert.x of its own"));
        }
        Composition parts;
        try {
            parts = compose();
        } catch (RuntimeException e) {
            register().remove(EMBEDDED);
            throw e;
        }
        return parts.start().recover(cause -> end(parts).transform(done -> Future.failedFuture(cause)));
    }

    private Composition compose() {
        shutdown = vertx.createSharedWorkerExecutor(
                "tailrace-shutdown", 1, LONGEST_SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS);
        meters = EmbeddedMeters.over(options.meters());
        Composition parts = new Composition(vertx, meters.meters(), options.config(), options.migrate());
        composition = parts;
        return parts;
    }

    /** Only after {@link #start()}. */
    Composition composition() {
        return Objects.requireNonNull(composition, "not started");
    }

    /** Completes at the end, however it came, with whether all ended well and in time. */
    Future<Boolean> ended() {
        return ended.future();
    }

    @Override
    public Future<?> stop() {
        LOG.info("stopping");
        return end(composition());
    }

    private Future<Boolean> end(Composition parts) {
        WorkerExecutor worker = Objects.requireNonNull(shutdown, "not started");
        // Steps wait for each other, which no event loop may.
        return worker.executeBlocking(
                        () -> parts.ending().run(options.config().shutdown().timeout()), false)
                .otherwise(cause -> {
                    LOG.warn("the shutdown failed", cause);
                    return false;
                })
                .onSuccess(clean -> {
                    Objects.requireNonNull(meters, "not started").close();
                    register().remove(EMBEDDED);
                    LOG.info(clean ? "stopped" : "stopped, not everything in time");
                    ended.complete(clean);
                });
    }

    private LocalMap<String, Boolean> register() {
        return vertx.sharedData().getLocalMap(REGISTER);
    }
}
