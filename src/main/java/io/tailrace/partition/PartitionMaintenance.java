package io.tailrace.partition;

import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.partition.MaintenanceRun.TableRun;
import io.tailrace.worker.PeriodicWorker;
import io.tailrace.worker.WorkerRunStore;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the future of its tables made: one run observes, plans and applies, table by table, under a lock that makes it
 * the only runner in the fleet.
 *
 * <p>Order of a run: the future of every table, then the record in {@code worker_runs}. A table's failure is recorded and
 * stops no other. Every wait is bounded. Removing is {@link PartitionRemoval}'s, under a lock of its own, so that nothing
 * it does can keep the future from being made. Futures complete on the caller's context; failures before anything was done
 * are {@link io.tailrace.db.DatabaseFailure}.
 */
public final class PartitionMaintenance {
    private static final Duration CREATE_LIMIT = Duration.ofMinutes(2);
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Logger LOG = LoggerFactory.getLogger(PartitionMaintenance.class);

    private final Database database;
    private final MaintainedTables maintained;
    private final PartitionCatalog catalog = new PartitionCatalog();
    private final PartitionStore store = new PartitionStore();
    private final WorkerRunStore runs = new WorkerRunStore();

    public PartitionMaintenance(Database database, MaintainedTables maintained) {
        this.database = database;
        this.maintained = maintained;
    }

    /** The periodic worker: runs at start, then on schedule, and soon again after a run that left something to do. */
    public PeriodicWorker worker(MeterRegistry meters) {
        return new PeriodicWorker(database.vertx(), meters, name(), maintained.every(), this::tick);
    }

    /** The worker's name, and the lock's. */
    private String name() {
        return maintained.schedule().worker();
    }

    /**
     * A run of the worker. Unlike {@link #runOnce} it fails when some table's future was not made, so that it is tried
     * again soon; leaving the work to another runner counts as done only once its result is there.
     */
    public Future<MaintenanceRun> tick() {
        return runOnce(Duration.ZERO).compose(run -> {
            if (!run.anotherRuns()) {
                return run.failure()
                        .<Future<MaintenanceRun>>map(why -> Future.failedFuture(new MaintenanceFailure(why)))
                        .orElseGet(() -> Future.succeededFuture(run));
            }
            return lacking()
                    .compose(lacking -> lacking.isEmpty()
                            ? Future.succeededFuture(run)
                            : Future.failedFuture(new MaintenanceFailure(
                                    "another instance is at it, and partitions are still missing: " + lacking)));
        });
    }

    /**
     * Runs until the future of every table is made, for a boot or a migration that must not go on without it. Fails as
     * the last try did when {@code patience} is over.
     *
     * <p>To block, call {@code ensure(patience).await()} on a thread that is not an event loop's.
     */
    public Future<MaintenanceRun> ensure(Duration patience) {
        AtomicBoolean over = new AtomicBoolean();
        long timer = database.vertx().setTimer(Math.max(1, patience.toMillis()), late -> over.set(true));
        return ensure(over).onComplete(done -> database.vertx().cancelTimer(timer));
    }

    private Future<MaintenanceRun> ensure(AtomicBoolean over) {
        return tick().recover(cause -> {
            if (over.get()) {
                return Future.failedFuture(cause);
            }
            LOG.warn("{} is tried again in {} s: {}", name(), RETRY.toSeconds(), cause.toString());
            return database.vertx()
                    .timer(RETRY.toMillis(), TimeUnit.MILLISECONDS)
                    .compose(waited -> ensure(over));
        });
    }

    /**
     * One run now, or none when another runner keeps the lock for longer than {@code patience}. Failures of tables
     * are in the result; the Future fails when nothing could be done or the run could not be recorded.
     */
    public Future<MaintenanceRun> runOnce(Duration patience) {
        return MaintenanceSession.open(database, name(), patience)
                .compose(session -> session.isEmpty()
                        ? Future.succeededFuture(MaintenanceRun.anotherIsRunning())
                        : run(session.get().connection())
                                .eventually(() -> session.get().close()));
    }

    private Future<MaintenanceRun> run(SqlConnection holder) {
        return inTurn(maintained.tables(), table -> createAhead(holder, table))
                .compose(done -> record(holder, new MaintenanceRun(false, done)));
    }

    private Future<TableRun> createAhead(SqlConnection holder, PartitionedTable table) {
        return bounded(CREATE_LIMIT, () -> observe(holder, table).compose(seen -> {
                    PartitionPlan plan = PartitionPlanner.plan(table, seen);
                    return inTurn(plan.operations(), operation -> apply(holder, table, operation))
                            .compose(applied -> observe(holder, table).map(now -> outcome(table, applied, now)));
                }))
                .recover(cause -> {
                    LOG.warn("partitions of {} could not be looked after: {}", table.name(), cause.toString());
                    return Future.succeededFuture(
                            new TableRun(table.name(), List.of(), -1, List.of(), List.of(saying(cause))));
                });
    }

    /** The partition's name, or why it is not there. */
    private record Applied(String partition, String failure) {}

    private Future<Applied> apply(SqlConnection holder, PartitionedTable table, PartitionOperation operation) {
        return Database.transaction(holder, connection -> store.apply(connection, table, operation))
                .map(made -> {
                    LOG.info("partition {} made for {}", operation.partition(), operation.span());
                    return new Applied(operation.partition(), "");
                })
                .otherwise(cause -> new Applied(operation.partition(), operation.partition() + ": " + saying(cause)));
    }

    private static TableRun outcome(PartitionedTable table, List<Applied> applied, Observation seen) {
        // Planned again from what is there now: only the catalogue's word says that a partition exists.
        PartitionPlan left = PartitionPlanner.plan(table, seen);
        List<String> created = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (Applied one : applied) {
            if (one.failure().isEmpty()) {
                created.add(one.partition());
            } else {
                failures.add(one.failure());
            }
        }
        return new TableRun(table.name(), created, left.coverage().daysAhead(seen.now()), left.findings(), failures);
    }

    private Future<MaintenanceRun> record(SqlConnection holder, MaintenanceRun run) {
        JsonObject perTable = new JsonObject();
        for (TableRun table : run.tables()) {
            perTable.put(
                    table.table(),
                    new JsonObject()
                            .put("created", new JsonArray(table.created()))
                            .put("days_ahead", table.daysAhead())
                            .put("failures", new JsonArray(table.failures())));
        }
        JsonObject detail = new JsonObject().put("tables", perTable);
        return bounded(CREATE_LIMIT, () -> runs.record(holder, name(), run.succeeded(), detail))
                .map(run);
    }

    private Future<Observation> observe(SqlConnection connection, PartitionedTable table) {
        return Database.transaction(connection, inside -> catalog.observe(inside, table));
    }

    /** Tables that still lack a partition which a run could make. */
    private Future<List<String>> lacking() {
        return database.transaction(database.maintenance(), connection -> inTurn(
                        maintained.tables(), table -> catalog.observe(connection, table)
                                .map(seen -> PartitionPlanner.plan(table, seen)
                                                .operations()
                                                .isEmpty()
                                        ? ""
                                        : table.name()))
                .map(names -> names.stream().filter(name -> !name.isEmpty()).toList()));
    }

    /** What a run would make now; changes nothing (LIFE-9). */
    public Future<List<PartitionOperation>> preview() {
        return database.transaction(database.maintenance(), connection -> inTurn(
                        maintained.tables(), table -> catalog.observe(connection, table)
                                .map(seen -> PartitionPlanner.plan(table, seen).operations()))
                .map(plans -> plans.stream().flatMap(List::stream).toList()));
    }

    private static <T> Future<T> bounded(Duration limit, Supplier<Future<T>> work) {
        Future<T> running;
        try {
            running = work.get();
        } catch (RuntimeException e) {
            running = Future.failedFuture(e);
        }
        return running.timeout(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static <A, B> Future<List<B>> inTurn(List<A> items, Function<A, Future<B>> work) {
        Future<List<B>> done = Future.succeededFuture(new ArrayList<>());
        for (A item : items) {
            done = done.compose(results -> work.apply(item).map(result -> {
                results.add(result);
                return results;
            }));
        }
        return done;
    }

    private static String saying(Throwable cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
