package io.tailrace.partition;

import static io.tailrace.partition.TestTables.EVENTS;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A daily table with an expired day of a hundred rows, and the engine on it with a guard that a test scripts. */
abstract class RemovalScene {
    static final Duration PATIENCE = Duration.ofSeconds(5);
    static final Duration WEEK = Duration.ofDays(7);
    static final Instant START = Instant.parse("2026-11-10T12:00:00Z");
    static final String OLD = "events_p2026_11_10";
    static final String SESSION = "tailrace-daily-partition-removal";

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    /** What the guard does at its calls, in turn; then it lets everything go. */
    final Deque<Supplier<List<String>>> guards = new ArrayDeque<>();

    private final List<AutoCloseable> open = new ArrayList<>();
    InstantSource clock = InstantSource.system();

    @BeforeEach
    void aWeekPasses() {
        db.execute(TestTables.MAKE);
        db.execute("DELETE FROM partition_removals");
        db.clock().set(START);
        create();
        db.execute(
                "INSERT INTO events (at, tenant, key) SELECT tailrace_now(), 't', n::text FROM generate_series(1, 100) n");
        db.clock().set(START.plus(Duration.ofDays(8)));
        create();
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        db.clock().reset();
        // A detached table does not go with its parent.
        db.execute("DROP TABLE events");
        db.query("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'events_p%'")
                .forEach(row -> db.execute("DROP TABLE " + row.get("relname")));
    }

    static void create() {
        PartitionMaintenance maintenance =
                new PartitionMaintenance(db.database(), MaintainedTables.daily(List.of(EVENTS)));
        assertThat(await(maintenance.runOnce(PATIENCE)).failure()).isEmpty();
    }

    PartitionRemoval removal(Duration detachWait) {
        DropGuard guard = (connection, partition, span) -> {
            Supplier<List<String>> next = guards.poll();
            return Future.succeededFuture(next == null ? List.of() : next.get());
        };
        return removal(detachWait, guard);
    }

    PartitionRemoval removal(Duration detachWait, DropGuard guard) {
        return new PartitionRemoval(
                db.database(),
                MaintenanceSchedule.DAILY,
                List.of(new ExpiringTable(EVENTS, WEEK, guard)),
                new RemovalSettings(Duration.ofHours(1), detachWait, Duration.ofSeconds(1), 3),
                clock,
                new SimpleMeterRegistry());
    }

    RemovalRun.TableRun run() {
        return run(Duration.ofSeconds(20));
    }

    RemovalRun.TableRun run(Duration detachWait) {
        RemovalRun run = await(removal(detachWait).runOnce(PATIENCE), Duration.ofSeconds(40));
        assertThat(run.anotherRuns()).isFalse();
        return run.tables().get(0);
    }

    static List<String> attached() {
        return db
                .query("SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass"
                        + " AND NOT inhdetachpending ORDER BY 1")
                .stream()
                .map(row -> String.valueOf(row.get("name")))
                .toList();
    }

    static boolean exists(String table) {
        return db.value(Boolean.class, "SELECT to_regclass(?) IS NOT NULL", table);
    }

    static long rows() {
        return db.number("SELECT count(*) FROM events WHERE at < '2026-11-11Z'");
    }

    static String stage() {
        return db.value(String.class, "SELECT stage FROM partition_removals WHERE partition = ?", OLD);
    }

    /** Somebody's transaction that has read the table and stays open. */
    Connection reader(String sql) {
        try {
            Connection connection = db.connect();
            open.add(connection);
            connection.setAutoCommit(false);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                statement.execute(sql);
            }
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static void endOf(Connection reader) throws SQLException {
        reader.rollback();
    }

    static List<String> killRunner() {
        db.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?", SESSION);
        return List.of();
    }
}
