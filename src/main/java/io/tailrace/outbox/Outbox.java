package io.tailrace.outbox;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.db.Signals;
import io.tailrace.worker.PeriodicWorker;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The outbox on one PostgreSQL. Any number of instances may work on the same database.
 *
 * <p>Life: {@link #start()} starts the workers and listens for other instances; {@link #stop()} answers waiting claims,
 * ends the workers and finishes the flushes. Calls are accepted in between; reads also before and after.
 */
public final class Outbox implements OutboxService {
    /** "There may be work", by tenant. */
    static final String WORK_CHANNEL = "tailrace_outbox_work";

    static final Duration RESCUE_EVERY = Duration.ofSeconds(30);
    static final Duration EXPIRE_EVERY = Duration.ofSeconds(5);
    static final Duration SAMPLE_EVERY = Duration.ofSeconds(15);

    static final Duration REDRIVE_EVERY = Duration.ofMillis(500);
    static final Duration TIDY_EVERY = Duration.ofHours(1);

    private final OutboxSettings settings;
    private final OutboxEnqueues enqueues;
    private final Lanes lanes;
    private final Claiming claiming;
    private final Settling settling;
    private final Operating operating;
    private final PartReader reader;
    private final Waiters waiters;
    private final Signals signals;
    private final List<PeriodicWorker> workers;

    public Outbox(Vertx vertx, Database database, OutboxSettings settings, MeterRegistry meters) {
        this.settings = settings;
        OutboxMetrics metrics = new OutboxMetrics(meters);
        this.enqueues = new OutboxEnqueues(database, settings.horizonDays());
        this.lanes = new Lanes(vertx, enqueues, settings);
        this.claiming = new Claiming(database, metrics);
        this.settling = new Settling(database, settings.retryPolicy(), metrics);
        this.reader = new PartReader(database, settings.horizonDays());
        this.waiters = new Waiters(vertx, claiming::claim);
        this.signals = new Signals(vertx, database, WORK_CHANNEL, waiters::nudge, waiters::nudgeAll);
        this.operating = new Operating(database, metrics, this::nudge);
        Upkeep upkeep = new Upkeep(database, settings.horizonDays(), settings.ledgerDays(), metrics, waiters::nudgeAll);
        this.workers = List.of(
                new PeriodicWorker(vertx, meters, "outbox-rescue", RESCUE_EVERY, upkeep::rescue),
                new PeriodicWorker(vertx, meters, "outbox-expiry", EXPIRE_EVERY, upkeep::expire),
                new PeriodicWorker(vertx, meters, "outbox-sample", SAMPLE_EVERY, upkeep::sample),
                new PeriodicWorker(
                        vertx, meters, "outbox-redrive", REDRIVE_EVERY, new Redriving(database, operating)::run),
                new PeriodicWorker(vertx, meters, "outbox-tidy", TIDY_EVERY, upkeep::tidy));
        Gauge.builder("tailrace.outbox.queue.depth", lanes, Lanes::depth)
                .description("enqueues waiting for a flush")
                .register(meters);
    }

    /** Starts the workers; a database that is down is waited for. */
    public void start() {
        signals.start();
        workers.forEach(PeriodicWorker::start);
    }

    /** The workers by name, for readiness, operators and tests. */
    public List<PeriodicWorker> workers() {
        return workers;
    }

    /**
     * Answers the claims that wait; from now on none waits. The first step of a shutdown, before the requests in hand
     * are waited for; everything else goes on.
     */
    public Future<Void> endWaits() {
        return waiters.close();
    }

    /** Ends waiting claims, workers and listening, and completes when every accepted enqueue has been answered. */
    public Future<Void> stop() {
        return waiters.close()
                .compose(closed -> Future.join(
                                workers.stream().map(PeriodicWorker::stop).toList())
                        .otherwiseEmpty())
                .compose(stopped -> lanes.close())
                .compose(drained -> signals.close().otherwiseEmpty());
    }

    @Override
    public Future<EnqueueResult> enqueue(UUID tenant, Batch batch) {
        OutboxEnqueues.Entry entry = new OutboxEnqueues.Entry(tenant, batch);
        Future<EnqueueResult> result = settings.groupCommit() ? lanes.submit(entry) : enqueues.alone(entry);
        return result.onSuccess(stored -> {
            if (stored instanceof EnqueueResult.Stored done && done.anyClaimable()) {
                nudge(tenant);
            }
        });
    }

    @Override
    public Future<EnqueueResult> enqueue(SqlConnection connection, UUID tenant, Batch batch) {
        return enqueues.onConnection(connection, new OutboxEnqueues.Entry(tenant, batch));
    }

    @Override
    public Future<List<Claim.Item>> claim(UUID tenant, Claim claim, BooleanSupplier wanted) {
        return claiming.claim(tenant, claim)
                .compose(items -> items.isEmpty() && claim.waitFor().compareTo(Duration.ZERO) > 0
                        ? waiters.await(tenant, claim, wanted)
                        : Future.succeededFuture(items));
    }

    @Override
    public Future<List<LeaseResult>> start(UUID tenant, @Nullable Set<String> botIds, List<Lease> leases) {
        return settling.start(tenant, botIds, leases);
    }

    @Override
    public Future<List<LeaseResult>> renew(
            UUID tenant, @Nullable Set<String> botIds, List<Lease> leases, Duration lease) {
        return settling.renew(tenant, botIds, leases, lease);
    }

    @Override
    public Future<List<LeaseResult>> settle(UUID tenant, @Nullable Set<String> botIds, List<Settlement> settlements) {
        return settling.settle(tenant, botIds, settlements).map(settled -> {
            if (settled.madeWork()) {
                nudge(tenant);
            }
            return settled.results();
        });
    }

    @Override
    public Future<Optional<PartView>> item(UUID tenant, PartId id, boolean withContent) {
        return reader.item(tenant, id, withContent);
    }

    @Override
    public Future<Optional<List<PartView.Attempt>>> attempts(UUID tenant, PartId id) {
        return reader.attempts(tenant, id);
    }

    @Override
    public Future<List<PartView>> batch(UUID tenant, String batchId) {
        return reader.batch(tenant, batchId);
    }

    @Override
    public Future<Map<PartState, Long>> depth(UUID tenant) {
        return reader.depth(tenant);
    }

    @Override
    public OutboxOperator operator() {
        return operating;
    }

    private void nudge(UUID tenant) {
        waiters.nudge(tenant);
        signals.send(tenant);
    }
}
