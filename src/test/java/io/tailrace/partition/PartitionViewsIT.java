package io.tailrace.partition;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.outbox.OutboxTables;
import io.tailrace.partition.PartitionHealth.Report;
import io.tailrace.partition.PartitionHealth.Status;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PartitionViewsIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");
    private static final PartitionedTable EVENTS = PartitionedTable.daily("events", "at");
    private static final MaintainedTables DAILY = MaintainedTables.daily(List.of(EVENTS));

    private final MeterRegistry meters = new SimpleMeterRegistry();

    @BeforeEach
    void table() {
        db.clock().set(NOON);
        db.execute("""
                DROP TABLE IF EXISTS events;
                DELETE FROM worker_runs;
                CREATE TABLE events (at timestamptz NOT NULL) PARTITION BY RANGE (at)
                """);
    }

    private PartitionHealth health() {
        // A busy machine is no reason for another answer.
        return new PartitionHealth(db.database(), meters, DAILY, List.of(), TestDatabase.PATIENCE);
    }

    private static MaintenanceRun run() {
        return await(new PartitionMaintenance(db.database(), DAILY).runOnce(Duration.ofSeconds(5)));
    }

    @Test
    @DisplayName(
            "LIFE-8 readiness through a table's life: nothing, made, stale by PostgreSQL's clock, out of future, mended")
    void readiness() {
        PartitionHealth health = health();
        assertThat(health.name()).isEqualTo("daily_partition_maintenance");
        Report nothing = await(health.report());
        assertThat(nothing.status()).isEqualTo(Status.ERROR);
        assertThat(nothing.currentMissing()).isTrue();
        assertThat(nothing.lastRun()).isNull();

        run();
        Report made = await(health.report());
        assertThat(made.status()).isEqualTo(Status.OK);
        assertThat(made.lastRun()).isBetween(NOON, NOON.plusSeconds(60));
        assertThat(made.tables().get("events"))
                .isEqualTo(new PartitionHealth.TableHealth(Status.OK, 7, List.of(), List.of()));
        assertThat(meters.get("tailrace.partition.days.ahead")
                        .tag("table", "events")
                        .gauge()
                        .value())
                .isEqualTo(7);

        db.clock().advance(Duration.ofMinutes(125));
        Report stale = await(health.report());
        assertThat(stale.status()).isEqualTo(Status.STALE);
        assertThat(stale.currentMissing()).isFalse();

        db.clock().advance(Duration.ofDays(8));
        Report out = await(health.report());
        assertThat(out.status()).isEqualTo(Status.ERROR);
        assertThat(out.currentMissing()).isTrue();
        assertThat(out.tables().get("events"))
                .extracting(PartitionHealth.TableHealth::daysAhead)
                .isEqualTo(-1L);

        run();
        assertThat(await(health.report()).status()).isEqualTo(Status.OK);
    }

    @Test
    @DisplayName("LIFE-8 a run that failed and a finding that needs a hand are degraded, and the instance stays ready")
    void degraded() {
        run();
        db.execute("UPDATE worker_runs SET ok = false");
        assertThat(await(health().report()).status()).isEqualTo(Status.DEGRADED);
        db.execute("UPDATE worker_runs SET ok = true");
        db.execute("CREATE TABLE events_rest PARTITION OF events DEFAULT");
        Report report = await(health().report());
        assertThat(report.status()).isEqualTo(Status.DEGRADED);
        assertThat(report.currentMissing()).isFalse();
        assertThat(report.tables().get("events")).satisfies(table -> assertThat(table.findings())
                .extracting(Finding::kind)
                .containsExactly(Finding.Kind.DEFAULT_PARTITION));
    }

    @Test
    @DisplayName("LIFE-8 readiness answers while a table is locked, and shares one look among all who ask")
    void lockedAndShared() throws SQLException {
        run();
        PartitionHealth health = health();
        try (Connection holder = db.connect();
                Statement lock = holder.createStatement()) {
            holder.setAutoCommit(false);
            lock.execute("LOCK TABLE events IN ACCESS EXCLUSIVE MODE");
            Future<Report> first = health.report();
            Future<Report> second = health.report();
            assertThat(second).isSameAs(first);
            assertThat(await(first).status()).isEqualTo(Status.OK);
        }
    }

    @Test
    @DisplayName("LIFE-8 a catalogue that cannot be read in two seconds is an error, but no missing partition")
    void unreadable() throws SQLException {
        run();
        try (Connection holder = db.connect();
                Statement lock = holder.createStatement()) {
            holder.setAutoCommit(false);
            lock.execute("LOCK TABLE worker_runs IN ACCESS EXCLUSIVE MODE");
            Report report = await(new PartitionHealth(db.database(), meters, DAILY, List.of()).report());
            assertThat(report.status()).isEqualTo(Status.ERROR);
            assertThat(report.currentMissing()).isFalse();
            assertThat(report.detail()).startsWith("the catalogue could not be read");
        }
    }

    @Test
    void aListingShowsPeriodsSizesAndStates() {
        run();
        db.execute("""
                CREATE TABLE by_hand PARTITION OF events
                    FOR VALUES FROM ('2026-10-01 00:00:00+00') TO ('2026-11-01 00:00:00+00');
                INSERT INTO events SELECT '2026-11-30 12:00:00+00' FROM generate_series(1, 1000);
                ANALYZE events_p2026_11_30
                """);
        PartitionedTable nowhere = PartitionedTable.monthly("nowhere", "at");
        List<TableView> views = await(new PartitionListing(db.database(), List.of(EVENTS, nowhere)).list());
        assertThat(views).extracting(TableView::table).containsExactly("events", "nowhere");
        assertThat(views.get(1)).isEqualTo(new TableView("nowhere", "month", List.of()));
        assertThat(views.get(0).period()).isEqualTo("day");
        List<TableView.PartitionView> partitions = views.get(0).partitions();
        assertThat(partitions)
                .extracting(partition -> partition.name() + " " + partition.state())
                .startsWith("by_hand not_understood", "events_p2026_11_30 live", "events_p2026_12_01 future")
                .hasSize(9);
        assertThat(partitions.get(1)).satisfies(today -> {
            assertThat(today.from()).isEqualTo("2026-11-30T00:00:00Z");
            assertThat(today.to()).isEqualTo("2026-12-01T00:00:00Z");
            assertThat(today.rowsEstimate()).isEqualTo(1000);
            assertThat(today.bytes()).isPositive();
            assertThat(today.blockedBy()).isNull();
        });
    }

    @Test
    void theOutboxIsListed() {
        assertThat(await(new PartitionListing(db.database(), OutboxTables.DAILY).list()))
                .extracting(TableView::table)
                .containsExactly("telegram_outbox", "telegram_outbox_attempts");
    }
}
