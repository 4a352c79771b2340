package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.partition.MaintainedTables;
import io.tailrace.partition.MaintenanceSchedule;
import io.tailrace.partition.PartitionHealth;
import io.tailrace.partition.PartitionMaintenance;
import io.tailrace.partition.PartitionRemoval;
import io.tailrace.partition.RemovalRun;
import io.tailrace.partition.RemovalSettings;
import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxRetentionIT {
    private static final Duration DAY = Duration.ofDays(1);
    private static final DateTimeFormatter SUFFIX =
            DateTimeFormatter.ofPattern("'_p'uuuu_MM_dd").withZone(ZoneOffset.UTC);

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;
    private Instant today = Instant.EPOCH;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        db.execute("DELETE FROM partition_removals");
        fixture = new OutboxFixture(db);
        today = db.clock().now();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static void pass(Duration time) {
        // A test's days go on from where the one before it left off: what has left does not come back.
        for (long day = 0; day < time.toDays(); day++) {
            db.clock().advance(DAY);
            await(new PartitionMaintenance(db.database(), MaintainedTables.daily(OutboxTables.DAILY))
                    .runOnce(Duration.ofSeconds(5)));
        }
    }

    private static RemovalRun remove() {
        RemovalRun run = await(
                new PartitionRemoval(
                                db.database(),
                                MaintenanceSchedule.DAILY,
                                OutboxTables.expiring(7),
                                new RemovalSettings(
                                        Duration.ofHours(1), Duration.ofSeconds(20), Duration.ofSeconds(5), 100),
                                InstantSource.system(),
                                new SimpleMeterRegistry())
                        .runOnce(Duration.ofSeconds(5)),
                Duration.ofSeconds(60));
        assertThat(run.failure()).isEmpty();
        return run;
    }

    private String partsOf(Instant day) {
        return "telegram_outbox" + SUFFIX.format(day);
    }

    private String attemptsOf(Instant day) {
        return "telegram_outbox_attempts" + SUFFIX.format(day);
    }

    private static List<String> blocked(RemovalRun run, int table) {
        return run.tables().get(table).blocked();
    }

    @Test
    @DisplayName("OUT-25 both tables keep seven days of what has ended, and let the eighth go")
    void sevenDays() {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        fixture.deliver(item);
        pass(Duration.ofDays(7));
        assertThat(remove().tables())
                .allSatisfy(run -> assertThat(run.dropped()).doesNotContain(partsOf(today)));

        pass(DAY);
        RemovalRun run = remove();

        assertThat(run.tables().get(0).dropped()).contains(partsOf(today));
        assertThat(run.tables().get(1).dropped()).contains(attemptsOf(today));
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"pending", "leased", "retry_wait"})
    @DisplayName("OUT-26 a day with a part that has not ended is kept, says why, and goes once it ends")
    void kept(String state) {
        fixture.enqueue(
                "b", state.equals("pending") ? part("k").availableAt(today.plus(Duration.ofDays(10))) : part("k"));
        if (!state.equals("pending")) {
            Claim.Item item = fixture.claimOne();
            fixture.start(item);
            if (state.equals("retry_wait")) {
                fixture.settle(OutboxFixture.retry(item, Duration.ofDays(10)));
            }
        }
        pass(Duration.ofDays(8));

        RemovalRun run = remove();

        assertThat(blocked(run, 0))
                .anySatisfy(reason ->
                        assertThat(reason).startsWith(partsOf(today)).contains("part in state " + state + ": 1"));
        if (!state.equals("pending")) {
            assertThat(blocked(run, 1)).anySatisfy(reason -> assertThat(reason)
                    .startsWith(attemptsOf(today))
                    .contains("attempts of a part in state " + state));
        }
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(1);
        db.execute("DELETE FROM telegram_outbox_inflight; UPDATE telegram_outbox SET state = 'cancelled'");
        assertThat(remove().tables().get(0).dropped()).contains(partsOf(today));
    }

    @Test
    @DisplayName("OUT-26 a row that only raw SQL calls unfinished keeps its day as well")
    void rawState() {
        fixture.enqueue("b", part("k"));
        db.execute("DELETE FROM telegram_outbox_inflight");
        pass(Duration.ofDays(8));

        assertThat(blocked(remove(), 0)).anySatisfy(reason -> assertThat(reason).contains("part in state pending: 1"));
        db.execute("UPDATE telegram_outbox SET state = 'delivered'");
        assertThat(remove().tables().get(0).dropped()).contains(partsOf(today));
    }

    @Test
    @DisplayName("OUT-26 attempts of a part in flight are kept whatever their own day")
    void attemptsOfAnotherDay() {
        fixture.enqueue("b", part("k"));
        Claim.Item first = fixture.claimOne();
        fixture.settle(OutboxFixture.retry(first, Duration.ofDays(20)));
        pass(Duration.ofDays(1));
        db.execute("""
                INSERT INTO telegram_outbox_attempts (outbox_id, outbox_created_at, attempt, lease_token, worker_id, claimed_at)
                SELECT id, created_at, 2, 2, 'sender-2', tailrace_now() FROM telegram_outbox_inflight""");
        pass(Duration.ofDays(8));

        RemovalRun run = remove();

        assertThat(blocked(run, 1))
                .anySatisfy(reason -> assertThat(reason).startsWith(attemptsOf(today)))
                .anySatisfy(reason -> assertThat(reason).startsWith(attemptsOf(today.plus(DAY))));
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_attempts")).isEqualTo(2);
        db.execute("DELETE FROM telegram_outbox_inflight; UPDATE telegram_outbox SET state = 'cancelled'");
        remove();
    }

    @Test
    @DisplayName("OUT-26 a day kept for twice the retention is a warning in readiness, with what keeps it")
    void overdue() {
        fixture.enqueue("b", part("k").availableAt(today.plus(Duration.ofDays(30))));
        PartitionHealth health = new PartitionHealth(
                db.database(),
                new SimpleMeterRegistry(),
                MaintainedTables.daily(OutboxTables.DAILY),
                OutboxTables.expiring(7));
        pass(Duration.ofDays(8));
        remove();
        assertThat(await(health.report()).tables().values().iterator().next().findings())
                .noneMatch(finding -> finding.about().equals(partsOf(today)));

        pass(Duration.ofDays(7));
        remove();

        assertThat(await(health.report()).tables().values().iterator().next().findings())
                .anySatisfy(finding -> {
                    assertThat(finding.about()).isEqualTo(partsOf(today));
                    assertThat(finding.detail()).contains("part in state pending: 1");
                });
        db.execute("DELETE FROM telegram_outbox_inflight; UPDATE telegram_outbox SET state = 'cancelled'");
        remove();
    }

    @Test
    @DisplayName("OUT-27 who brings a part back holds its day, or is told that the day is being removed")
    void revivalHoldsTheDay() throws Exception {
        String day = "date_trunc('day', tailrace_now(), 'UTC')";
        try (java.sql.Connection remover = db.connect();
                java.sql.Statement statement = remover.createStatement()) {
            remover.setAutoCommit(false);
            statement.execute("SELECT pg_advisory_xact_lock(tailrace.period_lock('telegram_outbox', " + day + "))");
            assertThat(db.number("SELECT cardinality(tailrace.hold_outbox_days(ARRAY [tailrace_now()]))::bigint"))
                    .isEqualTo(1);
            remover.rollback();
        }
        assertThat(db.number("SELECT cardinality(tailrace.hold_outbox_days(ARRAY [tailrace_now()]))::bigint"))
                .isZero();
    }
}
