package io.tailrace.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.config.OutboxConfig;
import io.tailrace.config.PartitionsConfig;
import io.tailrace.db.Database;
import io.tailrace.outbox.OutboxTables;
import io.tailrace.partition.ExpiringTable;
import io.tailrace.partition.MaintainedTables;
import io.tailrace.partition.MaintenanceRun;
import io.tailrace.partition.MaintenanceSchedule;
import io.tailrace.partition.PartitionHealth;
import io.tailrace.partition.PartitionListing;
import io.tailrace.partition.PartitionMaintenance;
import io.tailrace.partition.PartitionOperation;
import io.tailrace.partition.PartitionRemoval;
import io.tailrace.partition.RemovalSettings;
import io.tailrace.worker.PeriodicWorker;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The daily tables of every capability, and the worker that keeps their days made. */
final class Partitions {
    private static final Logger LOG = LoggerFactory.getLogger(Partitions.class);

    private final PartitionMaintenance maintenance;
    private final PartitionRemoval removal;
    private final PartitionHealth health;
    private final PartitionListing listing;
    private final PeriodicWorker worker;
    private final PeriodicWorker remover;
    private boolean stopped;

    Partitions(Database database, MeterRegistry meters, PartitionsConfig config, OutboxConfig outbox) {
        MaintainedTables tables = MaintainedTables.daily(OutboxTables.DAILY)
                .withAhead(config.daysAhead())
                .withEvery(config.checkEvery());
        this.maintenance = new PartitionMaintenance(database, tables, List.of());
        List<ExpiringTable> expiring = OutboxTables.expiring(outbox.retentionDays());
        this.removal = new PartitionRemoval(
                database,
                MaintenanceSchedule.DAILY,
                expiring,
                new RemovalSettings(
                        config.checkEvery(), config.detachWait(), config.blockerWait(), config.removalsPerCheck()),
                InstantSource.system(),
                meters);
        this.health = new PartitionHealth(database, meters, tables, expiring);
        this.listing = new PartitionListing(database, tables.tables());
        this.worker = maintenance.worker(meters);
        this.remover = removal.worker();
    }

    PartitionHealth health() {
        return health;
    }

    PartitionListing listing() {
        return listing;
    }

    /** What a run on request runs. */
    Map<MaintenanceSchedule, PartitionMaintenance> maintenance() {
        return Map.of(MaintenanceSchedule.DAILY, maintenance);
    }

    /** What a run would make and remove now. */
    Future<PartitionPreview> preview() {
        return maintenance.preview().compose(made -> removal.preview()
                .map(removed -> new PartitionPreview(
                        made.stream().map(PartitionOperation::partition).toList(), removed)));
    }

    /** One run of both, making first. */
    Future<PartitionRuns> runOnce(Duration patience) {
        return maintenance.runOnce(patience).compose(made -> removal.runOnce(patience)
                .map(removed -> new PartitionRuns(made, removed)));
    }

    Map<MaintenanceSchedule, PartitionRemoval> removal() {
        return Map.of(MaintenanceSchedule.DAILY, removal);
    }

    /** Makes all that should be there, trying for this long. */
    Future<MaintenanceRun> ensure(Duration patience) {
        return maintenance.ensure(patience);
    }

    /**
     * Makes what is missing and starts the worker. Fails only while a table has no partition for now: a day in the future
     * that cannot be made yet is the worker's to try again, and no reason to refuse requests.
     */
    Future<Void> start() {
        return maintenance
                .tick()
                .<Void>mapEmpty()
                .recover(cause -> health.report().compose(report -> {
                    if (report.currentMissing()) {
                        return Future.failedFuture(cause);
                    }
                    LOG.warn("not all partitions could be made: {}", String.valueOf(cause.getMessage()));
                    return Future.succeededFuture();
                }))
                .onSuccess(made -> startWorkers());
    }

    private synchronized void startWorkers() {
        if (!stopped) {
            worker.start();
            remover.start();
        }
    }

    /** Waits for neither: a detach that waits for a reader is ended with its connection, and the next instance goes on. */
    Future<Void> stop() {
        synchronized (this) {
            stopped = true;
        }
        return removal.stop()
                .compose(ended -> Future.join(worker.stop(), remover.stop()).mapEmpty());
    }
}
