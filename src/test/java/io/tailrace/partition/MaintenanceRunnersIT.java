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
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.awaitility.Awaitility;
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

    private static PartitionMaintenance daily() {
        return new PartitionMaintenance(db.database(), MaintainedTables.daily(List.of(EVENTS)));
    }

    private static PartitionMaintenance monthly() {
        return new PartitionMaintenance(db.database(), MaintainedTables.monthly(List.of(LETTERS)));
    }

    private static TableRun run(PartitionMaintenance maintenance) {
        MaintenanceRun run = await(maintenance.runOnce(Duration.ofSeconds(5)));
        assertThat(run.failure()).isEmpty();
        assertThat(run.succeeded()).isTrue();
        return run.tables().get(0);
    }

    @Test
    @DisplayName("LIFE-1 of two runners at once one runs, and the other's turn comes when that one ends, whichever way")
    void oneRunner() throws SQLException {
        Instant start = Instant.parse("2026-11-10T12:00:00Z");
        Instant later = start.plus(Duration.ofDays(7));
        db.clock().set(start);
        run(daily());
        db.clock().set(later);
        PartitionMaintenance second = daily();
        try (Connection holder = db.connect();
                Statement lock = holder.createStatement()) {
            // Whoever attaches waits behind this, for each of the seven days as long as lock_timeout allows.
            holder.setAutoCommit(false);
            lock.execute("LOCK TABLE events IN SHARE MODE");
            Future<MaintenanceRun> running = daily().runOnce(Duration.ZERO);
            Awaitility.await().until(() -> db.number("""
                            SELECT count(*) FROM pg_locks WHERE relation = 'events'::regclass AND NOT granted
                            """) > 0);
            assertThat(await(second.runOnce(Duration.ZERO)).anotherRuns()).isTrue();
            // Something is missing that the other one has not made yet, so this is tried again soon …
            assertThat(awaitFailure(second.tick()))
                    .hasMessageContaining("another instance")
                    .hasMessageContaining("events");
            // … but when nothing is, leaving it to the other one is no failure.
            db.clock().set(start);
            assertThat(await(second.tick()).anotherRuns()).isTrue();
            db.clock().set(later);
            assertThat(running.isComplete()).isFalse();
            Future<MaintenanceRun> waiting = second.ensure(Duration.ofSeconds(8));
            // The first one dies without a word.
            assertThat(db.query("""
                            SELECT pg_terminate_backend(pid) FROM pg_locks
                            WHERE locktype = 'advisory' AND granted
                              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                            """)).hasSize(1);
            holder.rollback();
            assertThat(await(waiting).tables().get(0).created()).hasSize(7);
            awaitFailure(running);
        }
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
        PartitionMaintenance damaged = new PartitionMaintenance(database, MaintainedTables.daily(List.of(EVENTS)));
        Future<MaintenanceRun> boot = damaged.ensure(Duration.ofSeconds(9));
        // The unique index's columns come late, as a slow migration's would.
        db.execute("ALTER TABLE events ADD tenant text, ADD key text");
        assertThat(await(boot).tables().get(0).daysAhead()).isEqualTo(7);
        assertThat(awaitFailure(new PartitionMaintenance(
                                database,
                                MaintainedTables.daily(List.of(PartitionedTable.daily("events", "at")
                                        .withAhead(9)
                                        .withUnique("no", "no_such_column"))))
                        .ensure(Duration.ofMillis(1))))
                .isInstanceOf(MaintenanceFailure.class)
                .hasMessageContaining("no_such_column");
    }
}
