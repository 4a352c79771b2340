package io.tailrace.app;

import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Database;
import io.tailrace.doctor.Diagnosis;
import io.tailrace.doctor.Doctor;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartListStore;
import io.tailrace.outbox.PartQueries;
import io.tailrace.partition.MaintenanceRun;
import io.tailrace.partition.TableView;
import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.Tenants;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service as a process of its own: it owns Vert.x and the metrics, and everything else is {@link Composition}'s.
 *
 * <p>{@link #start()} listens at once, whether PostgreSQL answers or not; {@link #ready()} completes when the schema
 * stands and the workers run. {@link #close()} is the ordered shutdown. Thread-safe.
 */
public final class Tailrace {
    private static final Logger LOG = LoggerFactory.getLogger(Tailrace.class);

    /** Maintenance's three, two runners' sessions, and the two that listen. */
    private static final int CONNECTIONS_BESIDE_POOL = 7;

    private final TailraceConfig config;
    private final Metrics metrics;
    private final Vertx vertx;
    private final Composition composition;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean started;

    private Tailrace(TailraceConfig config, boolean migrate) {
        this.config = config;
        this.metrics = new Metrics();
        int configured = config.runtime().eventLoops();
        // Vert.x takes two a core; one leaves PostgreSQL its share and keeps a lane's flushes larger.
        this.vertx =
                metrics.vertx(configured > 0 ? configured : Runtime.getRuntime().availableProcessors());
        this.composition =
                new Composition(vertx, new Composition.Meters(metrics.registry(), metrics.registry()), config, migrate);
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
        return composition.start();
    }

    /** Completes when the schema stands, partitions exist and the workers run, however long the database takes. */
    public Future<Void> ready() {
        return composition.ready();
    }

    /** The public port, once {@link #start()} is over. */
    public int port() {
        return composition.port();
    }

    /** The management port, once {@link #start()} is over. */
    public int managementPort() {
        return composition.managementPort();
    }

    /** Makes the partitions of the days ahead, trying for {@code patience}; for a command, when nothing was started. */
    public Future<MaintenanceRun> makePartitions(Duration patience) {
        return composition.partitions().ensure(patience);
    }

    /** Every maintained table with its partitions. */
    public Future<List<TableView>> partitions() {
        return composition.partitions().listing().list();
    }

    /** What is not as it should be in the database, the worst first; for a command, when nothing was started. */
    public Future<List<Diagnosis>> examine() {
        int connections = config.database().poolSize() + CONNECTIONS_BESIDE_POOL;
        return new Doctor(
                        composition.database(),
                        composition.partitions().health(),
                        composition.partitions().tables(),
                        connections,
                        InstantSource.system())
                .examine();
    }

    /** What a run of maintenance would make and remove now; changes nothing. */
    public Future<PartitionPreview> previewPartitions() {
        return composition.partitions().preview();
    }

    /** One run of maintenance now, removal included; for a command, when nothing was started. */
    public Future<PartitionRuns> maintainPartitions(Duration patience) {
        return composition.partitions().runOnce(patience);
    }

    public Database database() {
        return composition.database();
    }

    public ApiKeys keys() {
        return composition.keys();
    }

    public Tenants tenants() {
        return new Tenants(composition.database());
    }

    /** The outbox, its operator's side included; for a command also when nothing was started. */
    public OutboxService outbox() {
        return composition.outbox();
    }

    /** Looking at many parts at once. */
    public PartQueries parts() {
        return new PartListStore(composition.database());
    }

    /**
     * Ends everything under {@code shutdown.timeout}: not ready, no new requests, those in hand answered, workers, flushes,
     * pools, Vert.x (OPS-3). Blocks, so never on an event loop; a second call returns at once.
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
        boolean clean = composition
                .ending()
                .then("event loops", left -> vertx.close())
                .run(config.shutdown().timeout());
        metrics.close();
        if (started) {
            LOG.info(clean ? "stopped" : "stopped, not everything in time");
        }
        return clean;
    }
}
