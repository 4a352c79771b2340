package io.tailrace.partition;

import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.outbox.OutboxTables;
import io.tailrace.partition.MaintenanceRun.TableRun;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.worker.PeriodicWorker;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.sqlclient.SqlConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionMaintenanceIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static final PartitionedTable EVENTS = PartitionedTable.daily("events", "at")
            .withUnique("key", "tenant", "key")
            .withStorage(Map.of("fillfactor", "80"));
    private static final PartitionedTable LETTERS = PartitionedTable.monthly("letters", "at");

    @BeforeEach
    void tables() {
        db.execute("""
                DROP TABLE IF EXISTS events, letters;
                CREATE TABLE events (
                    id bigint GENERATED ALWAYS AS IDENTITY, at timestamptz NOT NULL, tenant text NOT NULL, key text,
                    size integer NOT NULL DEFAULT 7 CHECK (size > 0), PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
                CREATE INDEX events_tenant ON events (tenant, at);
                CREATE TABLE letters (id bigint, at timestamptz NOT NULL) PARTITION BY RANGE (at)
                """);
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-11-30T23:59:50Z", // 12-01 comes during the run or right after
                "2026-12-31T23:30:00Z",
                "2027-01-01T00:00:00Z",
                "2028-02-28T23:00:00Z",
                "2028-02-29T00:00:00Z",
                "2100-02-28T12:00:00Z",
                "2026-03-08T06:30:00Z", // summer time begins in New York
                "2026-11-01T05:30:00Z", // and ends
            })
    @DisplayName(
            "LIFE-1 wherever the clock stands, today and seven days, this month and three exist; a second run makes nothing")
    void edges(Instant now) {
        db.clock().set(now);
        TableRun days = run(daily());
        TableRun months = run(monthly());
        assertThat(days.created()).hasSize(8);
        assertThat(days.daysAhead()).isGreaterThanOrEqualTo(7);
        assertThat(days.findings()).isEmpty();
        assertThat(months.created()).hasSize(4);
        assertThat(months.findings()).isEmpty();
        db.clock().set(now);
        assertThat(run(daily()).created()).hasSizeLessThanOrEqualTo(1);
        assertThat(run(monthly()).created()).hasSizeLessThanOrEqualTo(1);
        // Every minute of the eight days finds a partition.
        assertThat(db.execute("""
                        INSERT INTO events (at, tenant, key)
                        SELECT m, 't', row_number() OVER () FROM generate_series(
                            date_trunc('day', ?::timestamptz, 'UTC'),
                            date_trunc('day', ?::timestamptz, 'UTC') + interval '191 hours 59 minutes', '1 minute') AS m
                        """, now.toString(), now.toString())).isEqualTo(8 * 1440);
    }

    @Test
    @DisplayName(
            "LIFE-2 a partition has the parent's indexes, defaults and checks, its own unique index and storage, and its bounds")
    void whatAPartitionIs() {
        db.clock().set(Instant.parse("2026-11-30T12:00:00Z"));
        run(daily());
        // The parent's own; the one for the attach is gone.
        assertThat(db.query("""
                        SELECT conname FROM pg_constraint WHERE conrelid = 'events_p2026_11_30'::regclass AND contype = 'c'
                        """)).extracting(row -> row.get("conname")).containsExactly("events_size_check");
        assertThat(db.value(
                        String.class,
                        "SELECT pg_get_expr(relpartbound, oid) FROM pg_class WHERE relname = 'events_p2026_11_30'"))
                .isEqualTo("FOR VALUES FROM ('2026-11-30 05:45:00+05:45') TO ('2026-12-01 05:45:00+05:45')");
        assertThat(db.query("""
                        SELECT i.indexrelid::regclass::text AS name, i.indisunique AS uniq, h.inhparent::regclass::text AS parent
                        FROM pg_index i LEFT JOIN pg_inherits h ON h.inhrelid = i.indexrelid
                        WHERE i.indrelid = 'events_p2026_11_30'::regclass ORDER BY 1
                        """))
                .extracting(row -> row.get("name") + " " + row.get("uniq") + " " + row.get("parent"))
                .containsExactly(
                        "events_p2026_11_30_key true null",
                        "events_p2026_11_30_pkey true events_pkey",
                        "events_p2026_11_30_tenant_at_idx false events_tenant");
        assertThat(db.value(String.class, "SELECT reloptions::text FROM pg_class WHERE relname = 'events_p2026_11_30'"))
                .isEqualTo("{fillfactor=80}");
        db.execute("INSERT INTO events (at, tenant, key) VALUES ('2026-11-30 12:00Z', 't', 'k')");
        assertThat(db.number("SELECT size::bigint FROM ONLY events_p2026_11_30"))
                .isEqualTo(7);
    }

    @Test
    @DisplayName("LIFE-2 a table that bears a period's name is neither created over nor attached")
    void nameTaken() {
        db.clock().set(Instant.parse("2026-11-30T12:00:00Z"));
        db.execute("CREATE TABLE events_p2026_12_02 (LIKE events)");
        TableRun run = run(daily());
        assertThat(run.created()).hasSize(7);
        assertThat(run.findings()).extracting(Finding::kind).containsExactly(Finding.Kind.NAME_TAKEN);
        assertThat(run.daysAhead()).isEqualTo(1);
        assertThat(partitions("events")).doesNotContain("events_p2026_12_02");
        assertThat(db.number("SELECT count(*) FROM events_p2026_12_02")).isZero();
        db.execute("ALTER TABLE events_p2026_12_02 RENAME TO set_aside; DROP TABLE set_aside");
        assertThat(run(daily()).created()).containsExactly("events_p2026_12_02");
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
    @DisplayName("LIFE-4 one table's failure stops no other: locked, missing, damaged")
    void oneFails() throws SQLException {
        db.execute("CREATE TABLE IF NOT EXISTS locked (at timestamptz NOT NULL) PARTITION BY RANGE (at)");
        PartitionedTable locked = PartitionedTable.daily("locked", "at").withAhead(1);
        PartitionedTable damaged = PartitionedTable.daily("events", "at").withUnique("no", "no_such_column");
        PartitionMaintenance maintenance = new PartitionMaintenance(
                db.database(),
                MaintainedTables.daily(
                        List.of(PartitionedTable.daily("missing", "at"), locked, damaged.withAhead(1), EVENTS)),
                List.of());
        try (Connection holder = db.connect();
                Statement lock = holder.createStatement()) {
            holder.setAutoCommit(false);
            lock.execute("LOCK TABLE locked IN SHARE MODE");
            MaintenanceRun run = await(maintenance.runOnce(Duration.ofSeconds(5)), Duration.ofSeconds(30));
            assertThat(run.tables().get(0).findings())
                    .extracting(Finding::kind)
                    .containsExactly(Finding.Kind.PARENT_MISSING);
            assertThat(run.tables().get(1).failures()).hasSize(2).allMatch(why -> why.contains("lock timeout"));
            assertThat(run.tables().get(2).failures()).hasSize(2).allMatch(why -> why.contains("no_such_column"));
            assertThat(run.tables().get(3).created()).hasSize(8);
            assertThat(run.tables().get(3).failures()).isEmpty();
            assertThat(run.failure()).hasValueSatisfying(why -> assertThat(why).contains("locked: ", "events: "));
        }
        // At the next tick.
        MaintenanceRun next = await(maintenance.runOnce(Duration.ofSeconds(5)));
        assertThat(next.tables().get(1).created()).hasSize(2);
        db.execute("DROP TABLE locked");
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

    @Test
    @DisplayName("LIFE-10 no DEFAULT partition, no foreign key from or to a partitioned table, no extension")
    void nothingElseIsNeeded() {
        await(new PartitionMaintenance(db.database(), MaintainedTables.daily(OutboxTables.DAILY), List.of())
                .runOnce(Duration.ofSeconds(5)));
        assertThat(db.number("SELECT count(*) FROM pg_partitioned_table WHERE partdefid <> 0"))
                .isZero();
        assertThat(db.number("SELECT count(*) FROM pg_partitioned_table")).isGreaterThanOrEqualTo(2);
        assertThat(db.number("""
                        SELECT count(*) FROM pg_constraint f
                        WHERE f.contype = 'f'
                          AND EXISTS (SELECT FROM pg_class c WHERE c.oid IN (f.conrelid, f.confrelid)
                                                               AND (c.relkind = 'p' OR c.relispartition))
                        """)).isZero();
        assertThat(db.value(String.class, "SELECT string_agg(extname, ',') FROM pg_extension"))
                .isEqualTo("plpgsql");
    }

    @Test
    @DisplayName("OUT-28 each day of the outbox has its own unique index, none on operation_id, none on the parent")
    void outboxTables() {
        db.clock().advance(Duration.ofDays(100));
        MaintenanceRun run =
                await(new PartitionMaintenance(db.database(), MaintainedTables.daily(OutboxTables.DAILY), List.of())
                        .runOnce(Duration.ofSeconds(5)));
        assertThat(run.failure()).isEmpty();
        assertThat(run.tables()).extracting(TableRun::daysAhead).containsExactly(7L, 7L);
        String day = run.tables().get(0).created().get(0);
        assertThat(db.query("""
                        SELECT pg_get_indexdef(indexrelid) AS def FROM pg_index
                        WHERE indrelid = ?::regclass AND indisunique AND NOT indisprimary
                        """, day)).singleElement().satisfies(row -> assertThat(String.valueOf(row.get("def")))
                .startsWith("CREATE UNIQUE INDEX " + day + "_batch_part")
                .endsWith("(tenant_id, batch_id, part_index)"));
    }
}
