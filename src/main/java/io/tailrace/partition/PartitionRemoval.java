package io.tailrace.partition;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.worker.PeriodicWorker;
import io.tailrace.worker.WorkerRunStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes expired periods out of their tables without a writer having to wait: look for what keeps it, detach concurrently,
 * look again, drop or bring back.
 *
 * <p>A worker of its own, apart from the one that creates ahead: whatever hangs or fails here, tomorrow's partition is made.
 * One runner in the fleet; all DDL runs on the connection that holds the runner's lock and the period's, so an instance
 * that was frozen and wakes finds either both locks still its own or its connection gone. What is to be done is read from
 * the catalogue and the manifest at each run, never remembered.
 */
public final class PartitionRemoval {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionRemoval.class);

    private final Database database;
    private final List<ExpiringTable> tables;
    private final RemovalSettings settings;
    private final InstantSource clock;
    private final MeterRegistry meters;
    private final String name;
    private final PartitionCatalog catalog = new PartitionCatalog();
    private final RemovalStore store = new RemovalStore();
    private final WorkerRunStore runs = new WorkerRunStore();
    private volatile boolean stopped;
    private volatile @Nullable MaintenanceSession session;

    /**
     * @param schedule of the tables; the runner is named after it
     * @param clock the service's own, only to compare it with PostgreSQL's
     */
    public PartitionRemoval(
            Database database,
            MaintenanceSchedule schedule,
            List<ExpiringTable> tables,
            RemovalSettings settings,
            InstantSource clock,
            MeterRegistry meters) {
        this.database = database;
        this.tables = List.copyOf(tables);
        this.settings = settings;
        this.clock = clock;
        this.meters = meters;
        this.name = schedule.remover();
    }

    /** The periodic worker: runs at start, then on schedule, and soon again after a run that left something undone. */
    public PeriodicWorker worker() {
        return new PeriodicWorker(database.vertx(), meters, name, settings.every(), () -> runOnce(Duration.ZERO)
                .compose(run -> run.failure()
                        .<Future<RemovalRun>>map(why -> Future.failedFuture(new MaintenanceFailure(why)))
                        .orElseGet(() -> Future.succeededFuture(run))));
    }

    /**
     * One run now, or none when another runner keeps the lock for longer than {@code patience}. What failed or is blocked
     * is in the result; the Future fails when nothing could be done.
     */
    public Future<RemovalRun> runOnce(Duration patience) {
        return MaintenanceSession.open(database, name, patience).compose(opened -> {
            if (opened.isEmpty()) {
                return Future.succeededFuture(RemovalRun.anotherIsRunning());
            }
            session = opened.get();
            return (stopped
                            ? Future.<RemovalRun>failedFuture(new MaintenanceFailure("the service is stopping"))
                            : run(opened.get().connection()))
                    .eventually(() -> {
                        session = null;
                        return opened.get().close();
                    });
        });
    }

    /**
     * Ends the run in hand, if there is one, by ending its connection: a detach may wait for a reader for minutes, and a
     * shutdown does not. What is left half done the next run finds, here or on another instance.
     */
    public Future<Void> stop() {
        stopped = true;
        MaintenanceSession inHand = session;
        return inHand == null ? Future.succeededFuture() : inHand.close();
    }

    private Future<RemovalRun> run(SqlConnection holder) {
        return inTurn(tables, table -> removeFrom(holder, table))
                .compose(done -> record(holder, new RemovalRun(false, done)));
    }

    private Future<RemovalRun.TableRun> removeFrom(SqlConnection holder, ExpiringTable expiring) {
        RemovalProtocol protocol = new RemovalProtocol(database, holder, expiring, settings, meters);
        return store.clock(holder)
                .compose(now -> {
                    String apart = RemovalPlanner.apart(clock.instant(), now);
                    return observe(holder, expiring).compose(seen -> store.records(holder, expiring.table())
                            .compose(records -> carryOut(protocol, expiring, seen, records, apart)));
                })
                .recover(cause -> {
                    LOG.warn(
                            "expired partitions of {} could not be looked after: {}",
                            expiring.table().name(),
                            cause.toString());
                    protocol.failed(expiring.table().name(), cause);
                    return Future.succeededFuture();
                })
                .map(done -> protocol.outcome());
    }

    private Future<Void> carryOut(
            RemovalProtocol protocol,
            ExpiringTable expiring,
            Observation seen,
            List<RemovalRecord> records,
            String apart) {
        List<RemovalStep> steps = RemovalPlanner.plan(expiring, seen, records, settings.most());
        return inTurn(steps, step -> protocol.carryOut(step, apart)).mapEmpty();
    }

    private Future<Observation> observe(SqlConnection holder, ExpiringTable expiring) {
        return Database.transaction(holder, inside -> catalog.observe(inside, expiring.table()));
    }

    private Future<RemovalRun> record(SqlConnection holder, RemovalRun run) {
        JsonObject perTable = new JsonObject();
        for (RemovalRun.TableRun table : run.tables()) {
            perTable.put(
                    table.table(),
                    new JsonObject()
                            .put("dropped", new JsonArray(table.dropped()))
                            .put("reattached", new JsonArray(table.reattached()))
                            .put("blocked", new JsonArray(table.blocked()))
                            .put("failures", new JsonArray(table.failures())));
        }
        return runs.record(holder, name, run.failure().isEmpty(), new JsonObject().put("tables", perTable))
                .map(run);
    }

    /**
     * What a run would do now, and what would keep it from it; changes nothing (LIFE-9).
     */
    public Future<List<RemovalPreview>> preview() {
        return inTurn(tables, this::preview)
                .map(lists -> lists.stream().flatMap(List::stream).toList());
    }

    private Future<List<RemovalPreview>> preview(ExpiringTable expiring) {
        return database.transaction(database.maintenance(), connection -> store.clock(connection)
                        .compose(now -> catalog.observe(connection, expiring.table())
                                .compose(seen -> catalog.sizes(connection, expiring.table())
                                        .compose(sizes -> store.records(connection, expiring.table())
                                                .map(records -> new Planned(
                                                        RemovalPlanner.plan(expiring, seen, records, Integer.MAX_VALUE),
                                                        sizes,
                                                        RemovalPlanner.apart(clock.instant(), now)))))))
                .compose(planned -> preview(expiring, planned));
    }

    private record Planned(List<RemovalStep> steps, List<PartitionCatalog.Size> sizes, String apart) {}

    /** Each step in a transaction of its own: a guard reads whole periods, an observation only has seconds. */
    private Future<List<RemovalPreview>> preview(ExpiringTable expiring, Planned planned) {
        return inTurn(planned.steps(), step -> {
            PartitionCatalog.Size size = planned.sizes().stream()
                    .filter(one -> one.partition().equals(step.partition()))
                    .findFirst()
                    .orElse(new PartitionCatalog.Size(step.partition(), 0, 0));
            return database.transaction(
                            database.maintenance(), connection -> blockers(connection, expiring, step, planned.apart()))
                    .map(blocked -> RemovalPreview.of(expiring, step, size, blocked));
        });
    }

    private Future<List<String>> blockers(
            SqlConnection connection, ExpiringTable expiring, RemovalStep step, String apart) {
        List<String> blocked = new ArrayList<>();
        if (!apart.isEmpty()) {
            blocked.add(apart);
        }
        if (step instanceof RemovalStep.Detach detach) {
            return expiring.guard()
                    .keeps(connection, detach.partition(), detach.span())
                    .compose(keeps -> {
                        blocked.addAll(keeps);
                        return store.holder(connection, expiring.table(), detach.partition())
                                .map(holder -> {
                                    holder.ifPresent(who -> blocked.add("held by " + who));
                                    return blocked;
                                });
                    });
        }
        if (step instanceof RemovalStep.Finalize) {
            return store.oldestSnapshot(connection).map(holder -> {
                holder.ifPresent(who -> blocked.add("may still be seen by " + who));
                return blocked;
            });
        }
        return Future.succeededFuture(blocked);
    }

    static <A, B> Future<List<B>> inTurn(List<A> items, Function<A, Future<B>> work) {
        Future<List<B>> done = Future.succeededFuture(new ArrayList<>());
        for (A item : items) {
            done = done.compose(results -> work.apply(item).map(result -> {
                results.add(result);
                return results;
            }));
        }
        return done;
    }
}
