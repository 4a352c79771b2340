package io.tailrace.partition;

import static io.tailrace.partition.TestTables.EVENTS;
import static io.tailrace.partition.TestTables.LETTERS;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Days come and go over the edges of summer time, month, year and leap day, whatever zone the database's sessions have. */
class PartitionZonesIT {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @AfterEach
    void reset() {
        db.clock().reset();
        zone("Asia/Kathmandu");
    }

    private static void zone(String zone) {
        db.execute("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET timezone = %L', current_database(), '" + zone
                + "'); END $$");
    }

    static Stream<Arguments> edges() {
        return Stream.of("UTC", "America/New_York", "Asia/Amman").flatMap(zone -> Stream.of(
                        "2026-03-05T23:30:00Z", // New York's summer time begins on 8 March
                        "2026-10-29T23:30:00Z", // and ends on 1 November
                        "2022-10-26T21:30:00Z", // Amman stays on summer time from 28 October on
                        "2026-12-30T00:00:00Z",
                        "2028-02-27T12:00:00Z")
                .map(start -> Arguments.of(zone, Instant.parse(start))));
    }

    @ParameterizedTest(name = "LIFE-1 in {0}, five days from {1}")
    @MethodSource("edges")
    @DisplayName(
            "LIFE-1 LIFE-7 under sessions of any zone, bounds are whole days and months of UTC without a gap, and the right day leaves")
    void contiguous(String zone, Instant start) {
        db.execute(TestTables.MAKE);
        db.execute("DELETE FROM partition_removals");
        zone(zone);
        for (int day = 0; day < 5; day++) {
            db.clock().set(start.plus(Duration.ofDays(day)));
            await(new PartitionMaintenance(db.database(), MaintainedTables.daily(List.of(EVENTS))).runOnce(PATIENCE));
            await(new PartitionMaintenance(db.database(), MaintainedTables.monthly(List.of(LETTERS)))
                    .runOnce(PATIENCE));
            await(new PartitionRemoval(
                            db.database(),
                            MaintenanceSchedule.DAILY,
                            List.of(new ExpiringTable(EVENTS, Duration.ofDays(2), DropGuard.NONE)),
                            new RemovalSettings(Duration.ofHours(1), PATIENCE, Duration.ofSeconds(1), 9),
                            InstantSource.system(),
                            new SimpleMeterRegistry())
                    .runOnce(PATIENCE));
        }

        List<TableView> tables = await(new PartitionListing(db.database(), List.of(EVENTS, LETTERS)).list());
        for (TableView table : tables) {
            Period period = table.table().equals("events") ? Period.DAY : Period.MONTH;
            List<TableView.PartitionView> partitions = table.partitions();
            for (int i = 0; i < partitions.size(); i++) {
                Instant from = Objects.requireNonNull(partitions.get(i).from());
                Instant to = Objects.requireNonNull(partitions.get(i).to());
                assertThat(period.at(from)).isEqualTo(new Span(from, to));
                if (i > 0) {
                    assertThat(from).isEqualTo(partitions.get(i - 1).to());
                }
            }
        }
        Instant last = db.clock().now();
        // Two whole days are kept beside today and the seven ahead.
        assertThat(tables.get(0).partitions()).hasSize(10);
        assertThat(tables.get(0).partitions().get(0).from())
                .isEqualTo(Period.DAY.at(last.minus(Duration.ofDays(2))).from());
    }
}
