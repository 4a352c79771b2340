package io.tailrace.bus;

import io.tailrace.config.BusConfig;
import io.tailrace.config.HttpConfig;
import io.tailrace.wire.BlobBudget;
import io.tailrace.wire.StrictJson;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The operations of the outbox and of the log on a Vert.x's event bus, at the addresses of {@link OutboxAddresses} and
 * {@link ActivityAddresses}. Thread-safe.
 *
 * <p>Delivery is the bus's: at most once. Who gets no answer does not know what happened, and asks again: an enqueue is
 * idempotent by its batch id, an append by its idempotency key, a claim by its claim id, a settlement by its outcome.
 */
public final class OutboxOnBus {
    private final InFlight inFlight;
    private final List<BusVerticle> instances = new CopyOnWriteArrayList<>();
    private volatile String deployment = "";

    private OutboxOnBus(InFlight inFlight) {
        this.inFlight = inFlight;
    }

    /**
     * Registers every address.
     *
     * @param limits of a body, the same as HTTP's
     * @param instances event loops to spread over
     */
    public static Future<OutboxOnBus> start(
            Vertx vertx, BusServices services, BusConfig config, HttpConfig.Limits limits, int instances) {
        InFlight inFlight = new InFlight(config.inFlight());
        OutboxOnBus bus = new OutboxOnBus(inFlight);
        BusVerticle.Parts shared = new BusVerticle.Parts(
                operations(services),
                services,
                new StrictJson(limits.jsonDepth()),
                limits.decompressed().intBytes(),
                inFlight,
                new BusMetrics(services.meters(), inFlight));
        return vertx.deployVerticle(() -> bus.instance(shared), new DeploymentOptions().setInstances(instances))
                .map(deployed -> {
                    bus.deployment = deployed;
                    return bus;
                });
    }

    /** All that there are, the busiest first. */
    static List<Operation<?>> operations(BusServices services) {
        List<Operation<?>> all = new ArrayList<>();
        all.addAll(new SenderOperations(services.outbox(), services.lease()).all());
        all.addAll(new ActivityOperations(
                        services.log().activities(), services.log().conversations())
                .all());
        all.addAll(new ReaderOperations(services.outbox(), services.parts()).all());
        all.addAll(new OperatorOperations(services.outbox().operator()).all());
        all.addAll(new BlobOperations(services.blobs(), new BlobBudget(BlobBudget.DEFAULT_BYTES)).all());
        return List.copyOf(all);
    }

    private BusVerticle instance(BusVerticle.Parts parts) {
        BusVerticle instance = new BusVerticle(parts);
        instances.add(instance);
        return instance;
    }

    /** What to undeploy after {@link #shutdown}. */
    public String deploymentId() {
        return deployment;
    }

    /** Receives nothing any more, and waits up to {@code patience} for what is under way. */
    public Future<Void> shutdown(Duration patience) {
        return Future.join(instances.stream().map(BusVerticle::unregister).toList())
                .otherwiseEmpty()
                .compose(unregistered -> inFlight.idle(patience))
                .onSuccess(idle -> instances.forEach(BusVerticle::drained));
    }
}
