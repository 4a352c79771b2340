package io.tailrace.app;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.activity.ActivityTables;
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
import io.tailrace.partition.PartitionedTable;
import io.tailrace.partition.RemovalPreview;
import io.tailrace.partition.RemovalRun;
import io.tailrace.partition.RemovalSettings;
import io.tailrace.worker.PeriodicWorker;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The partitioned tables of every capability, by schedule, and the workers that make their periods and take them out. */
final class Partitions {
    private static final Logger LOG = LoggerFactory.getLogger(Partitions.class);

    /** The tables of one period, with their workers. */
    private record Kept(
            MaintenanceSchedule schedule,
            PartitionMaintenance maintenance,
            PartitionRemoval removal,
            PartitionHealth health,
            PeriodicWorker worker,
            PeriodicWorker remover) {}

    private final List<Kept> schedules;
    private final List<PartitionedTable> tables;
    private final PartitionListing listing;
    private boolean stopped;

    Partitions(Database database, MeterRegistry meters, PartitionsConfig config, OutboxConfig outbox) {
        MaintainedTables daily = MaintainedTables.daily(OutboxTables.DAILY)
                .withAhead(config.daysAhead())
                .withEvery(config.checkEvery());
        MaintainedTables monthly = MaintainedTables.monthly(Stream.of(OutboxTables.MONTHLY, ActivityTables.MONTHLY)
                .flatMap(List::stream)
                .toList());
        this.schedules = List.of(
                kept(database, meters, config, daily, OutboxTables.expiring(outbox.retentionDays())),
                kept(database, meters, config, monthly, OutboxTables.expiringMonthly(outbox.ledgerDays())));
        this.tables = Stream.of(daily, monthly)
                .flatMap(some -> some.tables().stream())
                .toList();
        this.listing = new PartitionListing(database, tables);
    }

    /** All of them, with what each of their partitions has to have. */
    List<PartitionedTable> tables() {
        return tables;
    }

    private static Kept kept(
            Database database,
            MeterRegistry meters,
            PartitionsConfig config,
            MaintainedTables tables,
            List<ExpiringTable> expiring) {
        PartitionMaintenance maintenance = new PartitionMaintenance(database, tables);
        PartitionRemoval removal = new PartitionRemoval(
                database,
                tables.schedule(),
                expiring,
                new RemovalSettings(
                        tables.every(), config.detachWait(), config.blockerWait(), config.removalsPerCheck()),
                InstantSource.system(),
                meters);
        return new Kept(
                tables.schedule(),
                maintenance,
                removal,
                new PartitionHealth(database, meters, tables, expiring),
                maintenance.worker(meters),
                removal.worker());
    }

    List<PartitionHealth> health() {
        return schedules.stream().map(Kept::health).toList();
    }

    PartitionListing listing() {
        return listing;
    }

    /** What a run on request runs. */
    Map<MaintenanceSchedule, PartitionMaintenance> maintenance() {
        return schedules.stream().collect(Collectors.toMap(Kept::schedule, Kept::maintenance));
    }

    Map<MaintenanceSchedule, PartitionRemoval> removal() {
        return schedules.stream().collect(Collectors.toMap(Kept::schedule, Kept::removal));
    }

    /** What a run would make and remove now. */
    Future<PartitionPreview> preview() {
        return inTurn(kept -> kept.maintenance().preview()).compose(made -> inTurn(
                        kept -> kept.removal().preview())
                .map(removed -> new PartitionPreview(
                        made.stream()
                                .flatMap(List::stream)
                                .map(PartitionOperation::partition)
                                .toList(),
                        removed.stream().<RemovalPreview>flatMap(List::stream).toList())));
    }

    /** One run of all, making first. */
    Future<PartitionRuns> runOnce(Duration patience) {
        return inTurn(kept -> kept.maintenance().runOnce(patience))
                .compose(made -> inTurn(kept -> kept.removal().runOnce(patience))
                        .map(removed -> new PartitionRuns(MaintenanceRun.all(made), RemovalRun.all(removed))));
    }

    /** Makes all that should be there, trying each schedule for this long. */
    Future<MaintenanceRun> ensure(Duration patience) {
        return inTurn(kept -> kept.maintenance().ensure(patience)).map(MaintenanceRun::all);
    }

    /**
     * Makes what is missing and starts the workers. Fails only while a table has no partition for now: a period in the
     * future that cannot be made yet is the worker's to try again, and no reason to refuse requests.
     */
    Future<Void> start() {
        return inTurn(Partitions::makeCurrent).<Void>mapEmpty().onSuccess(made -> startWorkers());
    }

    private synchronized void startWorkers() {
        if (!stopped) {
            schedules.forEach(kept -> {
                kept.worker().start();
                kept.remover().start();
            });
        }
    }

    private static Future<Void> makeCurrent(Kept kept) {
        return kept.maintenance().tick().<Void>mapEmpty().recover(cause -> kept.health()
                .report()
                .compose(report -> {
                    if (report.currentMissing()) {
                        return Future.failedFuture(cause);
                    }
                    LOG.warn("not all partitions could be made: {}", String.valueOf(cause.getMessage()));
                    return Future.succeededFuture();
                }));
    }

    /** For a capability that found its period missing: the worker runs at once, not at its next tick. */
    void makeNow(MaintenanceSchedule schedule) {
        schedules.stream().filter(kept -> kept.schedule() == schedule).forEach(kept -> kept.worker()
                .runOnce()
                .onFailure(cause -> LOG.warn("partitions asked for could not be made: {}", cause.toString())));
    }

    /** Waits for neither: a detach that waits for a reader is ended with its connection, and the next instance goes on. */
    Future<Void> stop() {
        synchronized (this) {
            stopped = true;
        }
        return Future.join(schedules.stream().map(kept -> kept.removal().stop()).toList())
                .compose(ended -> Future.join(schedules.stream()
                        .flatMap(kept ->
                                Stream.of(kept.worker().stop(), kept.remover().stop()))
                        .toList()))
                .mapEmpty();
    }

    private <T> Future<List<T>> inTurn(Function<Kept, Future<T>> work) {
        Future<List<T>> done = Future.succeededFuture(new ArrayList<>());
        for (Kept kept : schedules) {
            done = done.compose(results -> work.apply(kept).map(result -> {
                results.add(result);
                return results;
            }));
        }
        return done;
    }
}
