package io.tailrace.partition;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Removals that are cut off, die, or keep failing: what the next run makes of them. */
class RemovalInterruptedIT extends RemovalScene {
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
    @DisplayName("LIFE-3 a drop that hangs or throws is given up and recorded, and meanwhile the future is made")
    void hangsOrThrows() throws Exception {
        List<Connection> readers = new ArrayList<>();
        guards.add(() -> {
            readers.add(reader("SELECT count(*) FROM events"));
            return List.of();
        });
        Future<RemovalRun> hanging = removal(Duration.ofSeconds(4)).runOnce(PATIENCE);
        Awaitility.await().until(() -> db.number("SELECT count(*) FROM pg_inherits WHERE inhdetachpending") == 1);
        db.clock().set(START.plus(Duration.ofDays(9)));

        create();

        assertThat(hanging.isComplete()).isFalse();
        assertThat(attached()).contains("events_p2026_11_26");
        assertThat(await(hanging, Duration.ofSeconds(20)).tables().get(0).failures())
                .hasSize(1);
        endOf(readers.get(0));
        guards.add(() -> {
            throw new IllegalStateException("a bug");
        });
        assertThat(run().failures()).singleElement().asString().contains("a bug");
        assertThat(db.value(Boolean.class, "SELECT ok FROM worker_runs WHERE worker = 'daily-partition-removal'"))
                .isFalse();
        db.clock().set(START.plus(Duration.ofDays(10)));
        create();
        assertThat(attached()).contains("events_p2026_11_27");
        run();
        assertThat(attached()).first().isEqualTo("events_p2026_11_13");
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
        Awaitility.await().until(() -> !second.isEmpty());
        assertThat(second.get(0).anotherRuns()
                        || second.get(0).tables().get(0).dropped().isEmpty())
                .isTrue();
    }
}
