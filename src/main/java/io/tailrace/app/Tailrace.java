package io.tailrace.app;

import io.tailrace.bus.BusServices;
import io.tailrace.bus.OutboxOnBus;
import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Database;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.doctor.Diagnosis;
import io.tailrace.doctor.Doctor;
import io.tailrace.http.Administration;
import io.tailrace.http.CheckResult;
import io.tailrace.http.HealthCheck;
import io.tailrace.http.ManagementServer;
import io.tailrace.http.MigrationsCheck;
import io.tailrace.http.PartitionCheck;
import io.tailrace.http.PostgresCheck;
import io.tailrace.http.PublicServer;
import io.tailrace.http.PublicServices;
import io.tailrace.http.Readiness;
import io.tailrace.outbox.BlobStore;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.PartListStore;
import io.tailrace.partition.MaintenanceRun;
import io.tailrace.partition.TableView;
import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.Caller;
import io.tailrace.tenant.Tenants;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One running service: makes every part, starts them in order, ends them in reverse.
 *
 * <p>{@link #start()} listens at once, whether PostgreSQL answers or not; {@link #ready()} completes when the schema
 * stands and the workers run. {@link #close()} is the ordered shutdown. Thread-safe.
 */
public final class Tailrace {
    private static final Logger LOG = LoggerFactory.getLogger(Tailrace.class);
    private static final int BLOCKING_THREADS = 2;
    private static final Duration LONGEST_RESERVE = Duration.ofSeconds(5);
    private static final Duration MANAGEMENT_PATIENCE = Duration.ofSeconds(1);

    private final TailraceConfig config;
    private final Metrics metrics;
    private final int eventLoops;
    private final Vertx vertx;
    private final WorkerExecutor blocking;
    private final WorkerExecutor scrapes;
    private final Database database;
    private final ApiKeys keys;
    private final Partitions partitions;
    private final Outbox outbox;
    private final Schema schema;
    private final Readiness readiness;
    private final ManagementServer management;
    /** Maintenance's three, two runners' sessions, and the one that listens. */
    private static final int CONNECTIONS_BESIDE_POOL = 6;

    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean started;
    private volatile int managementPort;
    private volatile @Nullable PublicServer publicServer;
    private volatile @Nullable OutboxOnBus bus;

    private Tailrace(TailraceConfig config, boolean migrate) {
        this.config = config;
        this.metrics = new Metrics();
        int configured = config.runtime().eventLoops();
        // Vert.x takes two a core; one leaves PostgreSQL its share and keeps a lane's flushes larger.
        this.eventLoops = configured > 0 ? configured : Runtime.getRuntime().availableProcessors();
        this.vertx = metrics.vertx(eventLoops);
        this.blocking = vertx.createSharedWorkerExecutor("tailrace-blocking", BLOCKING_THREADS, 10, TimeUnit.MINUTES);
        // Of its own: a scrape must answer while a connection attempt hangs.
        this.scrapes = vertx.createSharedWorkerExecutor("tailrace-scrapes", 1);
        this.database = Database.open(vertx, config.database());
        this.keys = new ApiKeys(database, config.keys().environment());
        this.partitions = new Partitions(database, metrics.registry(), config.partitions(), config.outbox());
        this.outbox = new Outbox(vertx, database, OutboxWiring.settings(config.outbox()), metrics.registry());
        this.schema = new Schema(vertx, blocking, config.database(), migrate);
        this.managementPort = config.management().port();
        this.readiness = new Readiness(
                vertx,
                List.of(
                        new PostgresCheck(database),
                        HealthCheck.of("schema", this::schemaEntry),
                        new PartitionCheck(partitions.health())),
                List.of(new MigrationsCheck(blocking, config.database())));
        this.management = new ManagementServer(
                vertx,
                config.management(),
                readiness,
                metrics.registry(),
                scrapes,
                new Administration(
                        new Tenants(database),
                        keys,
                        partitions.listing(),
                        partitions.maintenance(),
                        partitions.removal()));
    }

    /**
     * Makes the parts; nothing runs yet.
     *
     * @param migrate whether to bring the schema up to date, or to wait until somebody else has
     */
    public static Tailrace create(TailraceConfig config, boolean migrate) {
        return new Tailrace(config, migrate);
    }

    /** Completes when both servers listen; fails, saying which, when a port is taken. */
    public Future<Void> start() {
        started = true;
        schema.start(this::startWork).onSuccess(done -> LOG.info("ready"));
        return startManagement().compose(listening -> startPublic()).compose(listening -> startBus());
    }

    private Future<Void> startManagement() {
        return Listening.on(
                        "management",
                        config.management().host(),
                        config.management().port(),
                        management::start)
                .onSuccess(port -> managementPort = port)
                .mapEmpty();
    }

    private Future<Void> startPublic() {
        PublicServices services = new PublicServices(
                outbox,
                new PartListStore(database),
                new BlobStore(database),
                this::authenticate,
                metrics.registry(),
                config.outbox().lease());
        return Listening.on("http", config.http().host(), config.http().port(), () -> PublicServer.start(
                                vertx, services, config.http(), eventLoops)
                        .map(server -> {
                            publicServer = server;
                            return server.port();
                        }))
                .mapEmpty();
    }

    private Future<Void> startBus() {
        if (!config.bus().enabled()) {
            return Future.succeededFuture();
        }
        BusServices services = new BusServices(
                outbox,
                new PartListStore(database),
                metrics.registry(),
                config.outbox().lease());
        return OutboxOnBus.start(vertx, services, config.bus(), config.http().limits(), eventLoops)
                .onSuccess(started -> bus = started)
                .mapEmpty();
    }

    private Future<Void> startWork() {
        return partitions.start().onSuccess(made -> outbox.start());
    }

    private CheckResult schemaEntry() {
        return schema.isReady() ? CheckResult.ok() : CheckResult.unready(schema.state());
    }

    /** Every request passes here, so this is where one that comes too early is told so. */
    private Future<Optional<Caller>> authenticate(String presented) {
        return schema.isReady()
                ? keys.authenticate(presented)
                : Future.failedFuture(new DatabaseFailure(
                        DatabaseFailure.Kind.UNAVAILABLE, "the service is starting: " + schema.state(), null));
    }

    /** Completes when the schema stands, partitions exist and the workers run, however long the database takes. */
    public Future<Void> ready() {
        return schema.ready();
    }

    /** The public port, once {@link #start()} is over. */
    public int port() {
        PublicServer server = publicServer;
        return server == null ? config.http().port() : server.port();
    }

    /** The management port, once {@link #start()} is over. */
    public int managementPort() {
        return managementPort;
    }

    /** Makes the partitions of the days ahead, trying for {@code patience}; for a command, when nothing was started. */
    public Future<MaintenanceRun> makePartitions(Duration patience) {
        return partitions.ensure(patience);
    }

    /** Every maintained table with its partitions. */
    public Future<List<TableView>> partitions() {
        return partitions.listing().list();
    }

    /** What is not as it should be in the database, the worst first; for a command, when nothing was started. */
    public Future<List<Diagnosis>> examine() {
        int connections = config.database().poolSize() + CONNECTIONS_BESIDE_POOL;
        return new Doctor(database, partitions.health(), connections, InstantSource.system()).examine();
    }

    /** What a run of maintenance would make and remove now; changes nothing. */
    public Future<PartitionPreview> previewPartitions() {
        return partitions.preview();
    }

    /** One run of maintenance now, removal included; for a command, when nothing was started. */
    public Future<PartitionRuns> maintainPartitions(Duration patience) {
        return partitions.runOnce(patience);
    }

    public Database database() {
        return database;
    }

    public ApiKeys keys() {
        return keys;
    }

    /**
     * Ends everything under {@code shutdown.timeout}: not ready, no new requests, those in hand answered, workers, flushes,
     * pools (OPS-3). Blocks, so never on an event loop; a second call returns at once.
     *
     * @return true when all of it ended well and in time
     */
    public boolean close() {
        if (!closed.compareAndSet(false, true)) {
            return true;
        }
        if (started) {
            LOG.info("stopping");
        }
        readiness.stopping();
        schema.stop();
        PublicServer server = publicServer;
        OutboxOnBus onBus = bus;
        boolean clean = new Shutdown()
                .then("waiting claims", left -> outbox.endWaits())
                .then(
                        "public requests",
                        left -> server == null ? Future.succeededFuture() : server.shutdown(patience(left)))
                .then("bus requests", left -> onBus == null ? Future.succeededFuture() : onBus.shutdown(patience(left)))
                .then("partition maintenance", left -> partitions.stop())
                .then("outbox", left -> outbox.stop())
                .then("management port", left -> management.shutdown(MANAGEMENT_PATIENCE))
                .then("database pools", left -> database.close())
                .then("blocking work", left -> Future.join(blocking.close(), scrapes.close()))
                .then("event loops", left -> vertx.close())
                .run(config.shutdown().timeout());
        metrics.close();
        if (started) {
            LOG.info(clean ? "stopped" : "stopped, not everything in time");
        }
        return clean;
    }

    /** Of what is left, what requests may take: flushes and connections need the rest. */
    private static Duration patience(Duration left) {
        Duration reserve = left.dividedBy(4);
        return left.minus(reserve.compareTo(LONGEST_RESERVE) > 0 ? LONGEST_RESERVE : reserve);
    }
}
