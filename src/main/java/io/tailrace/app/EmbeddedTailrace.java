package io.tailrace.app;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import org.jspecify.annotations.Nullable;

/**
 * The service inside another Vert.x application (BUS-2): on the application's event loops, reached over its event bus at
 * the addresses of {@link io.tailrace.bus.OutboxAddresses}. See {@code docs/embedding.md}.
 *
 * <p>The application owns its Vert.x, which is never closed from here. What the service opened (pools, workers, timers,
 * ports) is closed by {@link #close()}, or when the application undeploys {@link #deploymentId()} or closes its Vert.x.
 * One to a Vert.x. Thread-safe; no method blocks, and Futures complete on the caller's context.
 */
public final class EmbeddedTailrace {
    private final Vertx vertx;
    private final String deploymentId;
    private final EmbeddedVerticle verticle;
    private @Nullable Future<Boolean> closing;

    private EmbeddedTailrace(Vertx vertx, String deploymentId, EmbeddedVerticle verticle) {
        this.vertx = vertx;
        this.deploymentId = deploymentId;
        this.verticle = verticle;
    }

    /**
     * Deploys the service. The Future completes when every address is registered and the ports that are enabled are open,
     * whether PostgreSQL answers or not; until {@link #ready()} requests are answered {@code database_unavailable}.
     *
     * @return fails with {@link IllegalStateException} when this Vert.x has one already or a port is taken; nothing is left
     *     behind then
     */
    public static Future<EmbeddedTailrace> deploy(Vertx vertx, EmbeddingOptions options) {
        EmbeddedVerticle verticle = new EmbeddedVerticle(options);
        return vertx.deployVerticle(verticle).map(deploymentId -> new EmbeddedTailrace(vertx, deploymentId, verticle));
    }

    /**
     * Completes when the schema stands, partitions exist and the workers run, however long PostgreSQL takes; fails only when
     * the service is closed before.
     */
    public Future<Void> ready() {
        return here(verticle.composition().ready());
    }

    /** On the caller's context, whoever completes it. */
    private <T> Future<T> here(Future<T> future) {
        Promise<T> here = ((ContextInternal) vertx.getOrCreateContext()).promise();
        future.onComplete(here);
        return here.future();
    }

    /** The public port, when {@code http.enabled}. */
    public int port() {
        return verticle.composition().port();
    }

    /** The management port, when {@code management.enabled}. */
    public int managementPort() {
        return verticle.composition().managementPort();
    }

    /** The deployment to undeploy, for who keeps account of deployments. */
    public String deploymentId() {
        return deploymentId;
    }

    /**
     * Ends the service in order under {@code shutdown.timeout}: waiting claims and requests in hand are answered, what was
     * acknowledged is stored, then workers, pools and executors end (OPS-3). A second call waits for the same end.
     *
     * @return true when all of it ended well and in time; never fails
     */
    public synchronized Future<Boolean> close() {
        if (closing == null && verticle.ended().isComplete()) {
            // The application undeployed it, or its Vert.x is closed and has no context to answer on.
            return verticle.ended();
        }
        if (closing == null) {
            // It fails when the application undeploys it at this moment; the end is the same one.
            closing = vertx.undeploy(deploymentId).transform(undeployed -> verticle.ended());
        }
        return closing.isComplete() ? closing : here(closing);
    }
}
