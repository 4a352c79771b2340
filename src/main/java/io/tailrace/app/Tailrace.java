package io.tailrace.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Database;
import io.tailrace.tenant.ApiKeys;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
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

    private final TailraceConfig config;
    private final Metrics metrics;
    private final Vertx vertx;
    private final WorkerExecutor blocking;
    private final Database database;
    private final ApiKeys keys;
    private final Schema schema;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean started;

    private Tailrace(TailraceConfig config, boolean migrate) {
        this.config = config;
        this.metrics = new Metrics();
        this.vertx = metrics.vertx(config.runtime().eventLoops());
        this.blocking = vertx.createSharedWorkerExecutor("tailrace-blocking", BLOCKING_THREADS, 10, TimeUnit.MINUTES);
        this.database = Database.open(vertx, config.database());
        this.keys = new ApiKeys(database, config.keys().environment());
        this.schema = new Schema(vertx, blocking, config.database(), migrate);
    }

    /**
     * Makes the parts; nothing runs yet.
     *
     * @param migrate whether to bring the schema up to date, or to wait until somebody else has
     */
    public static Tailrace create(TailraceConfig config, boolean migrate) {
        return new Tailrace(config, migrate);
    }

    /** Completes when both servers listen; fails when a port is taken. */
    public Future<Void> start() {
        started = true;
        schema.start(Future::succeededFuture).onSuccess(done -> LOG.info("ready"));
        return Future.succeededFuture();
    }

    /** Completes when the schema stands, partitions exist and the workers run, however long the database takes. */
    public Future<Void> ready() {
        return schema.ready();
    }

    /** The public port, once {@link #start()} is over. */
    public int port() {
        return config.http().port();
    }

    /** The management port, once {@link #start()} is over. */
    public int managementPort() {
        return config.management().port();
    }

    public MeterRegistry meters() {
        return metrics.registry();
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
        schema.stop();
        boolean clean = new Shutdown()
                .then("pools", left -> database.close())
                .then("blocking work", left -> blocking.close())
                .then("event loops", left -> vertx.close())
                .run(config.shutdown().timeout());
        metrics.close();
        if (started) {
            LOG.info(clean ? "stopped" : "stopped, not everything in time");
        }
        return clean;
    }
}
