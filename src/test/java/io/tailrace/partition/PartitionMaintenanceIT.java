package io.tailrace.partition;

import static io.tailrace.partition.TestTables.EVENTS;
import static io.tailrace.partition.TestTables.LETTERS;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.OutboxTables;
import io.tailrace.partition.MaintenanceRun.TableRun;
import io.tailrace.testkit.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
    @DisplayName("LIFE-4 one table's failure stops no other: locked, missing, damaged")
    void oneFails() throws SQLException {
        db.execute("CREATE TABLE IF NOT EXISTS locked (at timestamptz NOT NULL) PARTITION BY RANGE (at)");
        PartitionedTable locked = PartitionedTable.daily("locked", "at").withAhead(1);
        PartitionedTable damaged = PartitionedTable.daily("events", "at").withUnique("no", "no_such_column");
        PartitionMaintenance maintenance = new PartitionMaintenance(
                db.database(),
                MaintainedTables.daily(
                        List.of(PartitionedTable.daily("missing", "at"), locked, damaged.withAhead(1), EVENTS)));
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
    @DisplayName("LIFE-10 no DEFAULT partition, no foreign key from or to a partitioned table, no extension")
    void nothingElseIsNeeded() {
        await(new PartitionMaintenance(db.database(), MaintainedTables.daily(OutboxTables.DAILY))
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
        MaintenanceRun run = await(new PartitionMaintenance(db.database(), MaintainedTables.daily(OutboxTables.DAILY))
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
