package io.tailrace.partition;

import static io.tailrace.partition.TestTables.EVENTS;
import static io.tailrace.partition.TestTables.LETTERS;
import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.partition.MaintenanceRun.TableRun;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.worker.PeriodicWorker;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class MaintenanceRunnersIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @BeforeEach
    void tables() {
        db.execute(TestTables.MAKE);
    }

    @AfterEach
    void resetClock() {
        db.clock().reset();
    }

    private static PartitionMaintenance daily(MaintenancePhase... phases) {
        return new PartitionMaintenance(db.database(), MaintainedTables.daily(List.of(EVENTS)), List.of(phases));
    }

    private static PartitionMaintenance monthly() {
        return new PartitionMaintenance(db.database(), MaintainedTables.monthly(List.of(LETTERS)), List.of());
    }

    private static TableRun run(PartitionMaintenance maintenance) {
        MaintenanceRun run = await(maintenance.runOnce(Duration.ofSeconds(5)));
        assertThat(run.failure()).isEmpty();
        assertThat(run.succeeded()).isTrue();
        return run.tables().get(0);
    }

    private static List<String> partitions(String parent) {
        return db
                .query(
                        "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = ?::regclass ORDER BY 1",
                        parent)
                .stream()
                .map(row -> String.valueOf(row.get("name")))
                .toList();
    }

    @Test
    @DisplayName("LIFE-3 with every drop failing for 30 days, the future exists every hour")
    void dropsFail() {
        MaintenancePhase failing = new MaintenancePhase() {
            @Override
            public String name() {
                return "drop";
            }

            @Override
            public Future<Void> run(SqlConnection holder, PartitionedTable table) {
                return holder.query("DROP TABLE no_such_table").execute().mapEmpty();
            }
        };
        PartitionMaintenance maintenance = daily(failing);
        Instant start = Instant.parse("2026-11-15T00:30:00Z");
        for (int day = 0; day < 30; day++) {
            db.clock().set(start.plus(Duration.ofDays(day)));
            MaintenanceRun run = await(maintenance.runOnce(Duration.ofSeconds(5)));
            assertThat(run.tables().get(0).daysAhead()).isEqualTo(7);
            assertThat(run.tables().get(0).failures())
                    .singleElement()
                    .asString()
                    .startsWith("drop: ");
            assertThat(run.succeeded()).isFalse();
        }
        assertThat(partitions("events")).hasSize(30 + 7);
        assertThat(awaitFailure(maintenance.tick())).isInstanceOf(MaintenanceFailure.class);
    }

    @Test
    @DisplayName("LIFE-3 a drop that hangs or throws is given up, recorded, and the next run creates first again")
    void dropsHang() {
        MaintenancePhase hanging = phase("hang", () -> Promise.<Void>promise().future());
        MaintenancePhase throwing = phase("throw", () -> {
            throw new IllegalStateException("a bug");
        });
        PartitionMaintenance maintenance = new PartitionMaintenance(
                db.database(),
                MaintainedTables.daily(List.of(EVENTS)),
                List.of(hanging, throwing),
                Duration.ofMillis(50));
        TableRun run =
                await(maintenance.runOnce(Duration.ofSeconds(5))).tables().get(0);
        assertThat(run.created()).hasSize(8);
        assertThat(run.failures()).hasSize(2);
        assertThat(run.failures().get(1)).isEqualTo("throw: a bug");
        db.clock().advance(Duration.ofDays(1));
        assertThat(await(maintenance.runOnce(Duration.ofSeconds(5)))
                        .tables()
                        .get(0)
                        .created())
                .hasSize(1);
    }

    private static MaintenancePhase phase(String name, Supplier<Future<Void>> work) {
        return new MaintenancePhase() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Future<Void> run(SqlConnection holder, PartitionedTable table) {
                return work.get();
            }
        };
    }

    @Test
    @DisplayName("LIFE-1 of two runners at once one runs, and the other's turn comes when that one ends, whichever way")
    void oneRunner() {
        Promise<Void> release = Promise.promise();
        Promise<Void> reached = Promise.promise();
        PartitionMaintenance first = daily(phase("wait", () -> {
            reached.complete();
            return release.future();
        }));
        PartitionMaintenance second = daily();
        Future<MaintenanceRun> running = first.runOnce(Duration.ZERO);
        await(reached.future());
        assertThat(await(second.runOnce(Duration.ZERO)).anotherRuns()).isTrue();
        // The other one did the work already, so leaving it to that one is no failure …
        assertThat(await(second.tick()).anotherRuns()).isTrue();
        db.clock().advance(Duration.ofDays(1));
        // … but while something is still missing it is, and is tried again soon.
        assertThat(awaitFailure(second.tick()))
                .hasMessageContaining("another instance")
                .hasMessageContaining("events");
        Future<MaintenanceRun> waiting = second.ensure(Duration.ofSeconds(8));
        // The first one dies without a word.
        db.execute("""
                SELECT pg_terminate_backend(pid) FROM pg_locks
                WHERE locktype = 'advisory' AND granted
                  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """);
        assertThat(await(waiting).tables().get(0).created()).hasSize(1);
        release.complete();
        awaitFailure(running);
    }

    @Test
    @DisplayName("LIFE-1 the lock is of one fleet and one schedule, and never stays behind in a pool")
    void noLeak() {
        run(daily());
        run(monthly());
        assertThat(db.number("""
                        SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (
                            SELECT oid FROM pg_database WHERE datname = current_database())
                        """)).isZero();
    }

    @Test
    @DisplayName("LIFE-1 at boot maintenance keeps trying until it has succeeded; the worker's tick runs it")
    void boot() {
        db.execute("CREATE TABLE events_p2026_11_30 (LIKE events); DROP TABLE events");
        db.clock().set(Instant.parse("2026-11-30T12:00:00Z"));
        PeriodicWorker worker = daily().worker(new SimpleMeterRegistry());
        assertThat(worker.name()).isEqualTo("daily-partition-maintenance");
        // No table yet: nothing fails, the finding says so.
        await(worker.runOnce());
        Database database = db.database();
        db.execute(
                "CREATE TABLE events (at timestamptz NOT NULL) PARTITION BY RANGE (at); DROP TABLE events_p2026_11_30");
        PartitionMaintenance damaged =
                new PartitionMaintenance(database, MaintainedTables.daily(List.of(EVENTS)), List.of());
        Future<MaintenanceRun> boot = damaged.ensure(Duration.ofSeconds(9));
        // The unique index's columns come late, as a slow migration's would.
        db.execute("ALTER TABLE events ADD tenant text, ADD key text");
        assertThat(await(boot).tables().get(0).daysAhead()).isEqualTo(7);
        assertThat(awaitFailure(new PartitionMaintenance(
                                database,
                                MaintainedTables.daily(List.of(PartitionedTable.daily("events", "at")
                                        .withAhead(9)
                                        .withUnique("no", "no_such_column"))),
                                List.of())
                        .ensure(Duration.ofMillis(1))))
                .isInstanceOf(MaintenanceFailure.class)
                .hasMessageContaining("no_such_column");
    }
}
