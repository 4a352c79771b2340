package io.tailrace.partition;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.worker.WorkerRunStore;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The readiness entry of a schedule: what the catalogue shows now, and when maintenance last ran, whichever instance ran
 * it.
 *
 * <p>Cheap and bounded: a few catalogue reads that no lock on a table holds up, shared by all who ask meanwhile, given up
 * after two seconds. Thread-safe.
 */
public final class PartitionHealth {
    private static final Duration LIMIT = Duration.ofSeconds(2);

    private final Database database;
    private final MaintainedTables maintained;
    private final Map<String, ExpiringTable> expiring;
    private final Duration limit;
    private final RemovalStore removals = new RemovalStore();
    private final Map<String, Long> overdue = new ConcurrentHashMap<>();
    private final PartitionCatalog catalog = new PartitionCatalog();
    private final WorkerRunStore runs = new WorkerRunStore();
    private final Map<String, Long> daysAhead = new ConcurrentHashMap<>();
    private @Nullable Future<Report> inHand;

    /** From good to bad; the worst of all that is true is shown. */
    public enum Status {
        OK,
        /** The last run failed, less of the future exists than should, or something has to be done by hand. */
        DEGRADED,
        /** The last run ended over two periods ago, or there never was one. */
        STALE,
        /** A table has no partition for now, or the catalogue could not be read. */
        ERROR
    }

    /**
     * @param lastRun when maintenance last ended in the fleet; null when it never did
     * @param currentMissing rows written now find no partition: the only reason here to call an instance unready
     * @param detail what is wrong, for people; null when nothing is
     */
    public record Report(
            Status status,
            @Nullable Instant lastRun,
            Map<String, TableHealth> tables,
            boolean currentMissing,
            @Nullable String detail) {}

    /** @param daysAhead whole days of UTC after today that are covered without a break; −1 when not even now is */
    public record TableHealth(Status status, long daysAhead, List<String> pendingDetach, List<Finding> findings) {
        TableHealth and(List<Finding> more) {
            if (more.isEmpty()) {
                return this;
            }
            List<Finding> all = new ArrayList<>(findings);
            all.addAll(more);
            return new TableHealth(status == Status.OK ? Status.DEGRADED : status, daysAhead, pendingDetach, all);
        }
    }

    /**
     * @param meters gets {@code tailrace_partition_days_ahead{table=…}} and {@code tailrace_partition_overdue{table=…}}
     * @param expiring those of the tables whose periods leave
     */
    public PartitionHealth(
            Database database, MeterRegistry meters, MaintainedTables maintained, List<ExpiringTable> expiring) {
        this(database, meters, maintained, expiring, LIMIT);
    }

    PartitionHealth(
            Database database,
            MeterRegistry meters,
            MaintainedTables maintained,
            List<ExpiringTable> expiring,
            Duration limit) {
        this.expiring =
                expiring.stream().collect(Collectors.toMap(one -> one.table().name(), Function.identity()));
        this.limit = limit;
        this.database = database;
        this.maintained = maintained;
        for (PartitionedTable table : maintained.tables()) {
            Gauge.builder(
                            "tailrace.partition.days.ahead",
                            daysAhead,
                            days -> days.containsKey(table.name()) ? days.get(table.name()) : Double.NaN)
                    .description("whole days after today that have a partition, -1 when not even now has one")
                    .tag("table", table.name())
                    .register(meters);
            Gauge.builder("tailrace.partition.overdue", overdue, kept -> kept.getOrDefault(table.name(), 0L))
                    .description("expired partitions that something has kept for more than twice their time")
                    .tag("table", table.name())
                    .register(meters);
        }
    }

    /** The entry's name on the wire: {@code daily_partition_maintenance}. */
    public String name() {
        return maintained.schedule().readinessEntry();
    }

    /** How it stands. Never fails: a catalogue that cannot be read is a report too. */
    public synchronized Future<Report> report() {
        if (inHand != null) {
            return inHand;
        }
        Future<Report> report = database.transaction(database.maintenance(), this::read)
                .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .otherwise(cause -> new Report(
                        Status.ERROR, null, Map.of(), false, "the catalogue could not be read: " + cause.getMessage()));
        inHand = report;
        report.onComplete(done -> finished());
        return report;
    }

    private synchronized void finished() {
        inHand = null;
    }

    private Future<Report> read(SqlConnection connection) {
        Map<String, TableHealth> health = new LinkedHashMap<>();
        Future<Void> all = Future.succeededFuture();
        for (PartitionedTable table : maintained.tables()) {
            all = all.compose(before -> catalog.observe(connection, table))
                    .compose(seen -> removals.records(connection, table).map(records -> {
                        List<Finding> kept = overdue(expiring.get(table.name()), records, seen.now());
                        TableHealth one = judge(table, seen).and(kept);
                        health.put(table.name(), one);
                        daysAhead.put(table.name(), one.daysAhead());
                        overdue.put(table.name(), (long) kept.size());
                        return null;
                    }));
        }
        return all.compose(read -> runs.last(connection, maintained.schedule().worker()))
                .map(last -> judge(maintained.every(), health, last));
    }

    /** How one table stands, from what was observed. */
    static TableHealth judge(PartitionedTable table, Observation seen) {
        PartitionPlan plan = PartitionPlanner.plan(table, seen);
        List<Span> expected = PartitionPlanner.expected(table, seen.now());
        // One period short is how it always stands between midnight and the next run.
        Instant enough = expected.get(expected.size() - 1).from();
        boolean farEnough = plan.coverage()
                .until(seen.now())
                .filter(end -> !end.isBefore(enough))
                .isPresent();
        boolean warned = plan.findings().stream().anyMatch(found -> found.severity() == Finding.Severity.WARNING);
        Status status =
                !plan.coverage().takes(seen.now()) ? Status.ERROR : farEnough && !warned ? Status.OK : Status.DEGRADED;
        List<String> pending = seen.partitions().stream()
                .filter(FoundPartition::detachPending)
                .map(FoundPartition::name)
                .toList();
        return new TableHealth(status, plan.coverage().daysAhead(seen.now()), pending, plan.findings());
    }

    /** What has been kept for so long that somebody should look (OUT-26). */
    static List<Finding> overdue(@Nullable ExpiringTable expiring, List<RemovalRecord> records, Instant now) {
        return expiring == null
                ? List.of()
                : records.stream()
                        .filter(record ->
                                record.stage() == RemovalRecord.Stage.KEPT && expiring.overdue(record.span(), now))
                        .map(record -> new Finding(
                                Finding.Severity.WARNING,
                                Finding.Kind.KEPT_OVERDUE,
                                record.partition(),
                                "should have gone long ago; kept since " + record.since() + " by: " + record.reason(),
                                "end what keeps it: settle, retry or cancel those parts"))
                        .toList();
    }

    /** How the schedule stands, from its tables and its last run. */
    static Report judge(Duration every, Map<String, TableHealth> tables, Optional<WorkerRunStore.LastRun> last) {
        boolean currentMissing = tables.values().stream().anyMatch(table -> table.status() == Status.ERROR);
        boolean degraded = tables.values().stream().anyMatch(table -> table.status() == Status.DEGRADED);
        Instant lastRun = last.map(WorkerRunStore.LastRun::finishedAt).orElse(null);
        boolean stale =
                last.map(run -> run.age().compareTo(every.multipliedBy(2)) > 0).orElse(true);
        boolean failed = last.map(run -> !run.ok()).orElse(false);
        if (currentMissing) {
            return report(Status.ERROR, lastRun, tables, "a table has no partition for the current time");
        }
        if (stale) {
            return report(Status.STALE, lastRun, tables, lastRun == null ? "it never ran" : "it has not run lately");
        }
        if (failed) {
            return report(Status.DEGRADED, lastRun, tables, "the last run failed; the next one follows soon");
        }
        if (degraded) {
            return report(Status.DEGRADED, lastRun, tables, "a table needs attention");
        }
        return new Report(Status.OK, lastRun, tables, false, null);
    }

    private static Report report(
            Status status, @Nullable Instant lastRun, Map<String, TableHealth> tables, String detail) {
        return new Report(status, lastRun, tables, status == Status.ERROR, detail);
    }
}
