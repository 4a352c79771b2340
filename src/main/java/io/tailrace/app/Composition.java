package io.tailrace.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.tailrace.activity.Activities;
import io.tailrace.activity.Activity;
import io.tailrace.activity.ActivityLog;
import io.tailrace.activity.AnnouncedActivities;
import io.tailrace.activity.Conversations;
import io.tailrace.activity.Followers;
import io.tailrace.bus.AppendedEvents;
import io.tailrace.bus.BusServices;
import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.http.Administration;
import io.tailrace.http.CheckResult;
import io.tailrace.http.HealthCheck;
import io.tailrace.http.ManagementServer;
import io.tailrace.http.MigrationsCheck;
import io.tailrace.http.PartitionCheck;
import io.tailrace.http.PostgresCheck;
import io.tailrace.http.PublicServices;
import io.tailrace.http.Readiness;
import io.tailrace.outbox.BlobStore;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.PartListStore;
import io.tailrace.partition.MaintenanceSchedule;
import io.tailrace.purge.Purging;
import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.Caller;
import io.tailrace.tenant.Tenants;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every part of the service on a Vert.x that somebody else owns: the process ({@link Tailrace}) or another application
 * ({@link EmbeddedTailrace}). Pools, executors and timers belong to the context that makes it. Thread-safe.
 */
final class Composition {
    private static final Logger LOG = LoggerFactory.getLogger(Composition.class);
    private static final int BLOCKING_THREADS = 2;
    private static final int DECODING_THREADS = 2;
    /** An attempt to reach a database that does not answer is left behind after this. */
    private static final Duration SCHEMA_PATIENCE = Duration.ofSeconds(2);

    private static final Duration MANAGEMENT_PATIENCE = Duration.ofSeconds(1);

    /** @param shown what {@code /metrics} writes out; null when it is not for us to show */
    record Meters(MeterRegistry registry, @Nullable PrometheusMeterRegistry shown) {}

    private final MeterRegistry meters;
    private final TailraceConfig config;
    private final WorkerExecutor blocking;
    private final WorkerExecutor scrapes;
    private final WorkerExecutor decoding;
    private final Database database;
    private final ApiKeys keys;
    private final Partitions partitions;
    private final Outbox outbox;
    private final Activities activities;
    private final Followers followers;
    private final ActivityLog log;
    private final Purging purging;
    private final Schema schema;
    private final Readiness readiness;
    private final ManagementServer management;
    private final Edges edges;

    private boolean ending;
    private volatile int managementPort;

    /**
     * Makes the parts; nothing runs yet.
     *
     * @param migrate whether to bring the schema up to date, or to wait until somebody else has
     */
    Composition(Vertx vertx, Meters meters, TailraceConfig config, boolean migrate) {
        this.meters = meters.registry();
        this.config = config;
        this.blocking = vertx.createSharedWorkerExecutor("tailrace-blocking", BLOCKING_THREADS, 10, TimeUnit.MINUTES);
        // Of its own: a scrape must answer while a connection attempt hangs.
        this.scrapes = vertx.createSharedWorkerExecutor("tailrace-scrapes", 1);
        this.decoding = vertx.createSharedWorkerExecutor("tailrace-decoding", DECODING_THREADS);
        this.database = Database.open(vertx, config.database());
        this.keys = new ApiKeys(database, config.keys().environment());
        this.partitions = new Partitions(database, this.meters, config.partitions(), config.outbox());
        this.outbox = new Outbox(vertx, database, Wiring.settings(config.outbox()), this.meters);
        this.activities = new Activities(
                vertx,
                database,
                Wiring.settings(config.activities()),
                this.meters,
                () -> partitions.makeNow(MaintenanceSchedule.MONTHLY));
        this.followers = new Followers(vertx, database, this.meters, Followers.MOST);
        this.log = new ActivityLog(
                new AnnouncedActivities(activities, announcement(vertx)), new Conversations(database), followers);
        this.purging = new Purging(vertx, database, this.meters);
        this.schema = new Schema(vertx, blocking, config.database(), migrate);
        this.managementPort = config.management().port();
        this.readiness = new Readiness(
                vertx,
                Stream.concat(
                                Stream.of(new PostgresCheck(database), HealthCheck.of("schema", this::schemaEntry)),
                                partitions.health().stream().map(PartitionCheck::new))
                        .toList(),
                List.of(new MigrationsCheck(blocking, config.database())));
        this.management = new ManagementServer(
                vertx,
                config.management(),
                readiness,
                meters.shown(),
                scrapes,
                new Administration(
                        new Tenants(database),
                        keys,
                        partitions.listing(),
                        partitions.maintenance(),
                        partitions.removal()));
        this.edges = new Edges(vertx, config);
    }

    /** What hears of every activity that is committed here: those who follow, and the bus where it is enabled. */
    private Consumer<Activity> announcement(Vertx vertx) {
        if (!config.bus().enabled()) {
            return followers::appended;
        }
        AppendedEvents events = new AppendedEvents(vertx.eventBus());
        return activity -> {
            followers.appended(activity);
            events.publish(activity);
        };
    }

    /**
     * Completes when what is enabled of the two servers and the bus takes requests, whether PostgreSQL answers or not;
     * fails, saying which, when a port is taken.
     */
    Future<Void> start() {
        schema.start(this::startWork).onSuccess(done -> LOG.info("ready"));
        return startManagement()
                .compose(listening -> edges.startPublic(publicServices()))
                .compose(listening -> edges.startBus(busServices()));
    }

    private Future<Void> startManagement() {
        if (!config.management().enabled()) {
            return Future.succeededFuture();
        }
        return Listening.on(
                        "management",
                        config.management().host(),
                        config.management().port(),
                        management::start)
                .onSuccess(port -> managementPort = port)
                .mapEmpty();
    }

    private PublicServices publicServices() {
        return new PublicServices(
                outbox,
                new PartListStore(database),
                new BlobStore(database),
                log,
                this::authenticate,
                meters,
                decoding,
                config.outbox().lease());
    }

    private BusServices busServices() {
        return new BusServices(
                outbox,
                new PartListStore(database),
                new BlobStore(database),
                meters,
                config.outbox().lease(),
                decoding,
                this::open,
                log);
    }

    private Future<Void> startWork() {
        return partitions.start().compose(made -> startOutbox());
    }

    private synchronized Future<Void> startOutbox() {
        if (ending) {
            return Future.failedFuture("stopped while starting");
        }
        outbox.start();
        purging.start();
        followers.start();
        return Future.succeededFuture();
    }

    private CheckResult schemaEntry() {
        return schema.isReady() ? CheckResult.ok() : CheckResult.unready(schema.state());
    }

    private Future<Optional<Caller>> authenticate(String presented) {
        return schema.isReady() ? keys.authenticate(presented) : tooEarly();
    }

    private Future<Void> open() {
        return schema.isReady() ? Future.succeededFuture() : tooEarly();
    }

    /** Every request passes by, so this is where one that comes too early is told so. */
    private <T> Future<T> tooEarly() {
        return Future.failedFuture(new DatabaseFailure(
                DatabaseFailure.Kind.UNAVAILABLE, "the service is starting: " + schema.state(), null));
    }

    /** Completes when the schema stands, partitions exist and the workers run, however long the database takes. */
    Future<Void> ready() {
        return schema.ready();
    }

    /** The public port, once {@link #start()} is over; the configured one when it was not opened. */
    int port() {
        return edges.port();
    }

    int managementPort() {
        return managementPort;
    }

    Database database() {
        return database;
    }

    ApiKeys keys() {
        return keys;
    }

    Partitions partitions() {
        return partitions;
    }

    Outbox outbox() {
        return outbox;
    }

    /**
     * Begins the end: not ready from now on. What is left to do for it, in order: no new requests, those in hand answered,
     * workers, flushes, pools (OPS-3). Vert.x itself is its owner's to close.
     */
    Shutdown ending() {
        synchronized (this) {
            ending = true;
        }
        readiness.stopping();
        schema.stop();
        return edges.end(new Shutdown()
                        .then("waiting claims", left -> outbox.endWaits())
                        .then("streams", left -> followers.end()))
                .then("partition maintenance", left -> partitions.stop())
                .then("outbox", left -> outbox.stop())
                .then("purge", left -> purging.stop())
                .then("activities", left -> activities.stop())
                .then("followers", left -> followers.stop())
                .then("management port", left -> management.shutdown(MANAGEMENT_PATIENCE))
                .then("database pools", left -> database.close())
                .then("schema", left -> schema.idle().timeout(SCHEMA_PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                .then("blocking work", left -> Future.join(blocking.close(), scrapes.close(), decoding.close()));
    }
}
