package io.tailrace.partition;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionRemovalIT extends RemovalScene {
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
    @DisplayName("OUT-27 both looks may take as long as a large day needs, not the seconds of a catalogue read")
    void looksMayTakeLong() {
        List<String> limits = new ArrayList<>();
        DropGuard guard = (connection, partition, span) -> connection
                .query("SELECT current_setting('statement_timeout')")
                .execute()
                .map(rows -> {
                    limits.add(rows.iterator().next().getString(0));
                    return List.of();
                });

        await(removal(Duration.ofSeconds(20), guard).preview());
        assertThat(await(removal(Duration.ofSeconds(20), guard).runOnce(PATIENCE))
                        .tables()
                        .get(0)
                        .dropped())
                .containsExactly(OLD);

        assertThat(limits).hasSize(3).doesNotContain("5s");
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
}
