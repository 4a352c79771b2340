package io.tailrace.partition;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.tailrace.db.Database;
import io.tailrace.testkit.TestDatabase;
import io.vertx.pgclient.PgConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartitionCatalogIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static final String ODD_NAME = "Odd \"table\" (of mine)";
    private static final PartitionedTable ODD = PartitionedTable.daily(ODD_NAME, "At; --");

    @BeforeAll
    static void make() {
        db.execute("""
                CREATE TABLE "Odd ""table"" (of mine)" ("At; --" timestamptz NOT NULL) PARTITION BY RANGE ("At; --");
                CREATE TABLE "Odd 1" PARTITION OF "Odd ""table"" (of mine)"
                    FOR VALUES FROM (MINVALUE) TO ('2026-11-30 00:00:00+00');
                CREATE TABLE "Odd 2" PARTITION OF "Odd ""table"" (of mine)"
                    FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00');
                CREATE TABLE "Odd 3" PARTITION OF "Odd ""table"" (of mine)"
                    FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2026-12-02 05:30:00.123456+00');
                CREATE TABLE "Odd 4" PARTITION OF "Odd ""table"" (of mine)"
                    FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('infinity');
                CREATE TABLE "Odd 5" PARTITION OF "Odd ""table"" (of mine)" DEFAULT;
                CREATE TABLE lists (at timestamptz) PARTITION BY LIST (at);
                CREATE TABLE lists_1 PARTITION OF lists FOR VALUES IN ('2026-11-30 00:00:00+00');
                CREATE TABLE numbers (n bigint, at timestamptz) PARTITION BY RANGE (n, at);
                CREATE TABLE numbers_1 PARTITION OF numbers
                    FOR VALUES FROM (1, '2026-11-30 00:00:00+00') TO (2, MAXVALUE);
                CREATE TABLE plain (at timestamptz);
                """);
    }

    private static Observation observe(PartitionedTable table) {
        return await(db.database()
                .transaction(db.database().maintenance(), inside -> new PartitionCatalog().observe(inside, table)));
    }

    @ParameterizedTest
    @CsvSource({
        "UTC, 'ISO, MDY'",
        "America/New_York, 'SQL, DMY'",
        "Asia/Amman, 'German'",
        "Asia/Amman, 'Postgres, MDY'",
        "America/New_York, 'SQL, MDY'",
    })
    @DisplayName("LIFE-7 bounds come from the catalogue, the same in every zone and date style of the session")
    void bounds(String zone, String style) {
        PgConnection session =
                await(PgConnection.connect(db.vertx(), db.database().ownConnection("catalog-test")));
        await(session.query("SET TimeZone = '" + zone + "'").execute());
        await(session.query("SET DateStyle = '" + style + "'").execute());
        Observation seen = await(Database.transaction(session, inside -> new PartitionCatalog().observe(inside, ODD)));
        await(session.close());
        assertThat(seen.partitions())
                .containsExactlyInAnyOrder(
                        found("Odd 1", Instant.MIN, Instant.parse("2026-11-30T00:00:00Z")),
                        found("Odd 2", Instant.parse("2026-11-30T00:00:00Z"), Instant.parse("2026-12-01T00:00:00Z")),
                        found(
                                "Odd 3",
                                Instant.parse("2026-12-01T00:00:00Z"),
                                Instant.parse("2026-12-02T05:30:00.123456Z")),
                        found("Odd 4", Instant.parse("2027-01-01T00:00:00Z"), Instant.MAX),
                        new FoundPartition("Odd 5", FoundPartition.Kind.TABLE, false, new PartitionBounds.Default()));
    }

    private static FoundPartition found(String name, Instant from, Instant to) {
        return Seen.table(name, from, to);
    }

    @Test
    void whatIsNoTableOfTheKindIsToldApart() {
        assertThat(observe(PartitionedTable.daily("nowhere", "at")).parent()).isNull();
        assertThat(observe(PartitionedTable.daily("plain", "at")).parent())
                .isEqualTo(new Observation.Parent("", 0, "", "", false));
        Observation lists = observe(PartitionedTable.daily("lists", "at"));
        assertThat(lists.parent()).isEqualTo(new Observation.Parent("l", 1, "at", "timestamp with time zone", false));
        assertThat(lists.partitions()).singleElement().satisfies(found -> assertThat(found.bounds())
                .isInstanceOf(PartitionBounds.Unreadable.class));
        Observation numbers = observe(PartitionedTable.daily("numbers", "n"));
        assertThat(numbers.partitions()).singleElement().satisfies(found -> assertThat(found.bounds())
                .isInstanceOf(PartitionBounds.Unreadable.class));
    }

    @Test
    @DisplayName("LIFE-7 a detach that was interrupted is seen as pending")
    void pendingDetach() throws SQLException {
        db.execute("""
                CREATE TABLE detaching (at timestamptz NOT NULL) PARTITION BY RANGE (at);
                CREATE TABLE detaching_1 PARTITION OF detaching
                    FOR VALUES FROM ('2026-11-30 00:00:00+00') TO ('2026-12-01 00:00:00+00')
                """);
        try (Connection reader = db.connect();
                Connection detacher = db.connect();
                Statement read = reader.createStatement();
                Statement detach = detacher.createStatement()) {
            reader.setAutoCommit(false);
            read.executeQuery("SELECT count(*) FROM detaching").close();
            detach.execute("SET lock_timeout = '200ms'");
            assertThat(catchThrowable(
                            () -> detach.execute("ALTER TABLE detaching DETACH PARTITION detaching_1 CONCURRENTLY")))
                    .hasMessageContaining("lock timeout");
            Observation seen = observe(PartitionedTable.daily("detaching", "at"));
            assertThat(seen.partitions()).singleElement().matches(FoundPartition::detachPending);
            assertThat(Coverage.of(seen.partitions()).takes(Instant.parse("2026-11-30T12:00:00Z")))
                    .isFalse();
        }
    }

    @Test
    @DisplayName("LIFE-8 the catalogue answers while a partition and its parent are locked exclusively")
    void lockFree() throws SQLException {
        try (Connection holder = db.connect();
                Statement lock = holder.createStatement()) {
            holder.setAutoCommit(false);
            lock.execute("LOCK TABLE telegram_outbox IN ACCESS EXCLUSIVE MODE");
            Observation seen = observe(Seen.DAYS);
            assertThat(seen.partitions()).isNotEmpty();
            assertThat(db.number("""
                            SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (
                                SELECT oid FROM pg_database WHERE datname = current_database())
                            """)).isZero();
        }
    }

    @Test
    @DisplayName("LIFE-2 a table and a column of any name get their partitions, quoted by PostgreSQL")
    void anyName() {
        db.execute("""
                CREATE TABLE "Wild ""%I"" table" ("At; --" timestamptz NOT NULL, "B b" text) PARTITION BY RANGE ("At; --")
                """);
        PartitionedTable wild =
                PartitionedTable.daily("Wild \"%I\" table", "At; --").withUnique("Up", "B b", "At; --");
        MaintenanceRun run = await(new PartitionMaintenance(db.database(), MaintainedTables.daily(List.of(wild)))
                .runOnce(Duration.ofSeconds(5)));
        assertThat(run.failure()).isEmpty();
        assertThat(run.tables().get(0).created()).hasSize(8);
        assertThat(observe(wild).partitions()).hasSize(8).allMatch(found -> found.understood(Period.DAY));
    }
}
