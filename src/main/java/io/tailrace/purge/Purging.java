package io.tailrace.purge;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.purge.PurgeStore.Claimed;
import io.tailrace.worker.PeriodicWorker;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the rows of deleted conversations (ACT-12): activities with their deliveries in batches, the marked conversation last.
 * Any number of instances may run it; a purge has one runner at a time. Thread-safe.
 */
public final class Purging {
    static final Duration EVERY = Duration.ofSeconds(10);
    /** Far longer than a batch takes; whoever was stopped for longer finds his token gone. */
    static final Duration LEASE = Duration.ofMinutes(1);
    /** Activities a transaction takes out. */
    static final int BATCH = 5_000;

    private static final Logger LOG = LoggerFactory.getLogger(Purging.class);

    private final Database database;
    private final int batch;
    private final String owner = Long.toHexString(ProcessHandle.current().pid());
    private final Counter activities;
    private final Counter deliveries;
    private final AtomicLong unfinished = new AtomicLong();
    private final PeriodicWorker worker;
    private volatile boolean stopping;

    public Purging(Vertx vertx, Database database, MeterRegistry meters) {
        this(vertx, database, meters, BATCH);
    }

    Purging(Vertx vertx, Database database, MeterRegistry meters, int batch) {
        this.database = database;
        this.batch = batch;
        this.activities = removed(meters, "activities");
        this.deliveries = removed(meters, "deliveries");
        Gauge.builder("tailrace.purge.unfinished", unfinished, AtomicLong::get)
                .description("deletes whose rows are not all taken out yet")
                .register(meters);
        this.worker = new PeriodicWorker(vertx, meters, "purge", EVERY, this::run);
    }

    private static Counter removed(MeterRegistry meters, String table) {
        return Counter.builder("tailrace.purge.removed")
                .description("rows of deleted conversations taken out")
                .tag("table", table)
                .register(meters);
    }

    public PeriodicWorker worker() {
        return worker;
    }

    public void start() {
        worker.start();
    }

    /** Completes when the batch in hand is over. */
    public Future<Void> stop() {
        stopping = true;
        return worker.stop();
    }

    /** Each unfinished purge that nobody holds, one after the other. */
    private Future<Void> run() {
        return next(0).compose(done -> PurgeStore.unfinished(database))
                .onSuccess(unfinished::set)
                .mapEmpty();
    }

    private Future<Void> next(long after) {
        if (stopping) {
            return Future.succeededFuture();
        }
        return PurgeStore.claim(database, owner, LEASE, after)
                .compose(claimed -> claimed.isEmpty()
                        ? Future.succeededFuture()
                        : batches(claimed.get())
                                .compose(done -> next(claimed.get().id())));
    }

    private Future<Void> batches(Claimed purge) {
        return database.transaction(connection -> PurgeStore.hold(connection, purge)
                        .compose(mine -> mine ? batch(connection, purge) : Future.succeededFuture(false)))
                .compose(more -> more && !stopping ? batches(purge) : Future.succeededFuture());
    }

    /** True when there may be more to take out. */
    private Future<Boolean> batch(SqlConnection connection, Claimed purge) {
        return PurgeStore.heldUntil(connection, purge).compose(until -> {
            if (until != null) {
                LOG.info("the purge of conversation {} waits: on hold until {}", purge.conversation(), until);
                return PurgeStore.block(connection, purge, "on hold until " + until)
                        .map(false);
            }
            return PurgeStore.remove(connection, purge, batch, LEASE).compose(removed -> {
                activities.increment((double) removed.activities());
                deliveries.increment((double) removed.deliveries());
                return removed.activities() > 0
                        ? Future.succeededFuture(true)
                        : PurgeStore.finish(connection, purge).map(false);
            });
        });
    }
}
