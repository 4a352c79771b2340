package io.tailrace.partition;

import static io.tailrace.partition.TestTables.EVENTS;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionRemovalIT {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final Instant START = Instant.parse("2026-11-10T12:00:00Z");
    private static final String OLD = "events_p2026_11_10";
    private static final String SESSION = "tailrace-daily-partition-removal";

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    /** What the guard does at its calls, in turn; then it lets everything go. */
    private final Deque<Supplier<List<String>>> guards = new ArrayDeque<>();

    private final List<AutoCloseable> open = new ArrayList<>();
    private InstantSource clock = InstantSource.system();

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

    private static void create() {
        PartitionMaintenance maintenance =
                new PartitionMaintenance(db.database(), MaintainedTables.daily(List.of(EVENTS)), List.of());
        assertThat(await(maintenance.runOnce(PATIENCE)).failure()).isEmpty();
    }

    private PartitionRemoval removal(Duration detachWait) {
        DropGuard guard = (connection, partition, span) -> {
            Supplier<List<String>> next = guards.poll();
            return Future.succeededFuture(next == null ? List.of() : next.get());
        };
        return new PartitionRemoval(
                db.database(),
                MaintenanceSchedule.DAILY,
                List.of(new ExpiringTable(EVENTS, WEEK, guard)),
                new RemovalSettings(Duration.ofHours(1), detachWait, Duration.ofSeconds(1), 3),
                clock,
                new SimpleMeterRegistry());
    }

    private RemovalRun.TableRun run() {
        return run(Duration.ofSeconds(20));
    }

    private RemovalRun.TableRun run(Duration detachWait) {
        RemovalRun run = await(removal(detachWait).runOnce(PATIENCE), Duration.ofSeconds(40));
        assertThat(run.anotherRuns()).isFalse();
        return run.tables().get(0);
    }

    private static List<String> attached() {
        return db
                .query("SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass"
                        + " AND NOT inhdetachpending ORDER BY 1")
                .stream()
                .map(row -> String.valueOf(row.get("name")))
                .toList();
    }

    private static boolean exists(String table) {
        return db.value(Boolean.class, "SELECT to_regclass(?) IS NOT NULL", table);
    }

    private static long rows() {
        return db.number("SELECT count(*) FROM events WHERE at < '2026-11-11Z'");
    }

    private static String stage() {
        return db.value(String.class, "SELECT stage FROM partition_removals WHERE partition = ?", OLD);
    }

    /** Somebody's transaction that has read the table and stays open. */
    private Connection reader(String sql) {
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

    private static void endOf(Connection reader) throws SQLException {
        reader.rollback();
    }

    private static List<String> killRunner() {
        db.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?", SESSION);
        return List.of();
    }

    @Test
    @DisplayName("LIFE-7 a period leaves once its end is a retention ago, and only then")
    void leaves() {
        db.clock().set(Instant.parse("2026-11-17T23:59:50Z"));
        assertThat(run().dropped()).isEmpty();

        db.clock().set(Instant.parse("2026-11-18T00:00:00Z"));
        RemovalRun.TableRun run = run();

        assertThat(run.dropped()).containsExactly(OLD);
        assertThat(run.failures()).isEmpty();
        assertThat(exists(OLD)).isFalse();
        assertThat(attached()).doesNotContain(OLD).contains("events_p2026_11_11");
        assertThat(stage()).isEqualTo("dropped");
        assertThat(db.number("SELECT rows_estimate FROM partition_removals WHERE partition = ?", OLD))
                .isEqualTo(100);
    }

    @Test
    @DisplayName("LIFE-7 expiry goes by the bound in the catalogue: a name that lies saves nothing and costs nothing")
    void boundNotName() {
        db.execute("ALTER TABLE " + OLD + " RENAME TO events_p2030_01_01");
        db.execute("ALTER TABLE events_p2026_11_17 RENAME TO events_p2020_01_01");

        assertThat(run().dropped()).containsExactly("events_p2030_01_01");
        assertThat(attached()).contains("events_p2020_01_01");
    }

    @Test
    @DisplayName("LIFE-7 what the engine does not understand is left alone, expired or not")
    void notUnderstood() {
        db.execute(
                "CREATE TABLE odd PARTITION OF events FOR VALUES FROM ('2026-10-01 00:00Z') TO ('2026-10-03 00:00Z')");

        assertThat(run().dropped()).containsExactly(OLD);
        assertThat(attached()).contains("odd");
    }

    @ParameterizedTest
    @ValueSource(ints = {-301, 301})
    @DisplayName("LIFE-7 nothing is removed while the clocks are more than five minutes apart")
    void clocksApart(int seconds) {
        clock = () -> Instant.now().plusSeconds(seconds);

        RemovalRun.TableRun run = run();

        assertThat(run.dropped()).isEmpty();
        assertThat(run.blocked()).singleElement().asString().contains("clock");
        assertThat(rows()).isEqualTo(100);
        clock = () -> Instant.now().plusSeconds(seconds - Integer.signum(seconds) * 10);
        assertThat(run().dropped()).containsExactly(OLD);
    }

    @Test
    @DisplayName(
            "LIFE-6 an old transaction that holds the table blocks the removal before rows are hidden, and is named")
    void heldByReader() throws Exception {
        Connection reader = reader("SELECT count(*) FROM events");
        int pid = reader.unwrap(org.postgresql.PGConnection.class).getBackendPID();
        db.query("SELECT pg_sleep(1.1)");

        RemovalRun.TableRun run = run();

        assertThat(run.blocked()).singleElement().asString().contains(OLD).contains("pid " + pid);
        assertThat(rows()).isEqualTo(100);
        assertThat(attached()).contains(OLD);
        assertThat(stage()).isEqualTo("kept");
        endOf(reader);
        assertThat(run().dropped()).containsExactly(OLD);
    }

    @Test
    @DisplayName(
            "LIFE-5 a detach cut off with a reader open is finalized first, the right one, and names who it waits for")
    void interrupted() throws Exception {
        List<Connection> readers = new ArrayList<>();
        guards.add(() -> {
            readers.add(reader("SELECT count(*) FROM events"));
            return List.of();
        });
        RemovalRun.TableRun cut = run(Duration.ofSeconds(1));
        assertThat(cut.failures()).hasSize(1);
        assertThat(db.number("SELECT count(*) FROM pg_inherits WHERE inhdetachpending"))
                .isEqualTo(1);
        int pid = readers.get(0).unwrap(org.postgresql.PGConnection.class).getBackendPID();
        db.clock().set(START.plus(Duration.ofDays(9)));

        RemovalRun.TableRun waiting = run(Duration.ofSeconds(1));
        create();

        assertThat(waiting.failures()).singleElement().asString().contains(OLD).contains("pid " + pid);
        assertThat(waiting.blocked()).singleElement().asString().contains("events_p2026_11_11");
        assertThat(attached()).contains("events_p2026_11_26");
        endOf(readers.get(0));
        assertThat(run().dropped()).containsExactly(OLD, "events_p2026_11_11");
        assertThat(db.number("SELECT count(*) FROM pg_inherits WHERE inhdetachpending"))
                .isZero();
    }

    @Test
    @DisplayName("LIFE-5 a pending detach of a period that has not expired by now is finalized and brought back")
    void interruptedAndKept() throws Exception {
        List<Connection> readers = new ArrayList<>();
        guards.add(() -> {
            readers.add(reader("SELECT count(*) FROM events"));
            return List.of();
        });
        run(Duration.ofSeconds(1));
        assertThat(rows()).isZero();
        endOf(readers.get(0));
        db.clock().set(Instant.parse("2026-11-17T12:00:00Z"));

        assertThat(run().reattached()).containsExactly(OLD);
        assertThat(rows()).isEqualTo(100);
    }

    @Test
    @DisplayName(
            "LIFE-5 somebody else's interrupted detach is finalized, so that it stops no other, and its table left alone")
    void foreignDetach() throws Exception {
        Connection reader = reader("SELECT count(*) FROM events");
        try (Connection other = db.connect();
                Statement statement = other.createStatement()) {
            statement.execute("SET statement_timeout = '500ms'");
            assertThatThrownBy(() ->
                            statement.execute("ALTER TABLE events DETACH PARTITION events_p2026_11_17 CONCURRENTLY"))
                    .isInstanceOf(SQLException.class);
        }
        endOf(reader);

        assertThat(run().dropped()).containsExactly(OLD);
        assertThat(exists("events_p2026_11_17")).isTrue();
        assertThat(attached()).doesNotContain("events_p2026_11_17");
    }

    @Test
    @DisplayName("OUT-27 what slips in between the check and the drop brings the period back, rows and all")
    void slippedIn() {
        guards.add(List::of);
        guards.add(() -> List.of("a part that was revived"));

        RemovalRun.TableRun run = run();

        assertThat(run.dropped()).isEmpty();
        assertThat(run.reattached()).containsExactly(OLD);
        assertThat(rows()).isEqualTo(100);
        db.execute("INSERT INTO events (at, tenant, key) VALUES ('2026-11-10 13:00Z', 't', 'late')");
        assertThat(db.query("""
                        SELECT conname FROM pg_constraint WHERE conrelid = ?::regclass AND contype = 'c'""", OLD)).extracting(row -> row.get("conname")).containsExactly("events_size_check");
        assertThat(db.value(String.class, "SELECT reason FROM partition_removals WHERE partition = ?", OLD))
                .contains("revived");
        assertThat(run().dropped()).containsExactly(OLD);
    }

    @Test
    @DisplayName("OUT-27 rows written straight into the detached table are seen by the second check")
    void holdsPeriod() throws Exception {
        try (Connection reviver = db.connect();
                Statement statement = reviver.createStatement()) {
            reviver.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock_shared(tailrace.period_lock('events', '2026-11-10Z'))");

            assertThat(run().blocked()).singleElement().asString().contains("brought back");
            assertThat(rows()).isEqualTo(100);
            reviver.rollback();
        }
        assertThat(run().dropped()).containsExactly(OLD);
    }

    /** Before the manifest, with the table detached and locked, and between the two while the detach waits. */
    @ParameterizedTest
    @ValueSource(strings = {"before", "while it waits", "after"})
    @DisplayName("LIFE-5 a runner that dies at any point of a removal leaves what the next one finishes")
    void killed(String point) throws Exception {
        List<Connection> readers = new ArrayList<>();
        switch (point) {
            case "before" -> guards.add(PartitionRemovalIT::killRunner);
            case "after" -> {
                guards.add(List::of);
                guards.add(PartitionRemovalIT::killRunner);
            }
            default ->
                guards.add(() -> {
                    readers.add(reader("SELECT count(*) FROM events"));
                    db.vertx().setTimer(700, fired -> db.vertx().executeBlocking(PartitionRemovalIT::killRunner));
                    return List.of();
                });
        }
        Future<RemovalRun> run = removal(Duration.ofSeconds(20)).runOnce(PATIENCE);
        assertThat(TestDatabase.awaitFailure(run)).isNotNull();
        guards.clear();
        for (Connection reader : readers) {
            endOf(reader);
        }

        assertThat(run().dropped()).containsExactly(OLD);
        assertThat(exists(OLD)).isFalse();
        assertThat(db.number("SELECT count(*) FROM pg_inherits WHERE inhdetachpending"))
                .isZero();
    }

    @Test
    @DisplayName("LIFE-5 a table that took the place of the detached one is not dropped for it")
    void replaced() {
        guards.add(List::of);
        guards.add(PartitionRemovalIT::killRunner);
        assertThat(TestDatabase.awaitFailure(removal(Duration.ofSeconds(20)).runOnce(PATIENCE)))
                .isNotNull();
        guards.clear();
        db.execute("ALTER TABLE " + OLD + " RENAME TO saved; CREATE TABLE " + OLD + " (LIKE events)");

        RemovalRun.TableRun run = run();

        assertThat(run.dropped()).isEmpty();
        assertThat(exists("saved")).isTrue();
        assertThat(exists(OLD)).isTrue();
        db.execute("DROP TABLE saved, " + OLD);
    }

    @Test
    @DisplayName(
            "LIFE-3 thirty days on which every drop fails: tomorrow's partition is always there, then all recovers")
    void thirtyDays() {
        for (int day = 8; day < 38; day++) {
            db.clock().set(START.plus(Duration.ofDays(day)));
            for (int i = 0; i < 3; i++) {
                guards.add(() -> {
                    throw new IllegalStateException("the disk is full");
                });
            }
            create();
            RemovalRun.TableRun run = run();
            assertThat(run.dropped()).isEmpty();
            assertThat(run.failures()).isNotEmpty();
            guards.clear();
            db.execute("INSERT INTO events (at, tenant, key) VALUES (tailrace_now() + interval '7 days', 't', 'k')");
        }
        assertThat(attached()).hasSize(45);

        for (int i = 0; i < 10; i++) {
            run();
        }
        // The last seven days, today and the seven ahead.
        assertThat(attached()).hasSize(15).first().isEqualTo("events_p2026_12_10");
        assertThat(db.number("SELECT count(*) FROM events WHERE key = 'k'")).isEqualTo(15);
    }

    @Test
    @DisplayName("LIFE-9 a dry run says what would go, how large it is and what blocks it, and changes nothing")
    void preview() {
        guards.add(() -> List.of("a part in state pending: 1"));

        List<RemovalPreview> previews = await(removal(Duration.ofSeconds(1)).preview());

        assertThat(previews).singleElement().satisfies(one -> {
            assertThat(one.partition()).isEqualTo(OLD);
            assertThat(one.action()).isEqualTo("drop");
            assertThat(one.from()).isEqualTo(Instant.parse("2026-11-10T00:00:00Z"));
            assertThat(one.rows()).isEqualTo(100);
            assertThat(one.bytes()).isPositive();
            assertThat(one.blockedBy()).containsExactly("a part in state pending: 1");
        });
        assertThat(rows()).isEqualTo(100);
        assertThat(db.number("SELECT count(*) FROM partition_removals")).isZero();
    }

    @Test
    @DisplayName("LIFE-5 one runner in the fleet: a second finds the lock taken and removes nothing")
    void oneRunner() {
        List<RemovalRun> second = new ArrayList<>();
        guards.add(() -> {
            // A context of its own: this is an event loop.
            db.vertx().executeBlocking(() -> {
                second.add(await(removal(Duration.ofSeconds(1)).runOnce(Duration.ZERO)));
                return null;
            });
            return List.of();
        });
        assertThat(run().dropped()).containsExactly(OLD);
        org.awaitility.Awaitility.await().until(() -> !second.isEmpty());
        assertThat(second.get(0).anotherRuns()
                        || second.get(0).tables().get(0).dropped().isEmpty())
                .isTrue();
    }
}
