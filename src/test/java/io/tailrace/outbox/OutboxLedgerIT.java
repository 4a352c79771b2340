package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.partition.ExpiringTable;
import io.tailrace.partition.MaintainedTables;
import io.tailrace.partition.MaintenanceSchedule;
import io.tailrace.partition.PartitionMaintenance;
import io.tailrace.partition.PartitionRemoval;
import io.tailrace.partition.RemovalRun;
import io.tailrace.partition.RemovalSettings;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is remembered of a batch when its day has gone. */
class OutboxLedgerIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeEach
    void open() {
        makeAhead();
        OutboxFixture.empty(db);
        db.execute("DELETE FROM telegram_outbox_ledger");
        fixture = withLedger(400);
    }

    @AfterEach
    void close() {
        fixture.close();
        db.clock().reset();
    }

    private static OutboxFixture withLedger(int days) {
        OutboxFixture fixture = new OutboxFixture(db, OutboxFixture.settingsWithLedger(days));
        // Tells the enqueues what is configured, as it does when the service starts.
        fixture.run("outbox-sample");
        return fixture;
    }

    /** Days on, with the partitions that the service would have made and taken out meanwhile. */
    private static void pass(int days) {
        db.clock().advance(Duration.ofDays(days));
        makeAhead();
        for (int run = 0; run < 5; run++) {
            await(removal(MaintenanceSchedule.DAILY, OutboxTables.expiring(7)).runOnce(Duration.ZERO));
        }
    }

    private static void makeAhead() {
        for (MaintainedTables tables :
                List.of(MaintainedTables.daily(OutboxTables.DAILY), MaintainedTables.monthly(OutboxTables.MONTHLY))) {
            await(new PartitionMaintenance(db.database(), tables).runOnce(Duration.ZERO));
        }
    }

    private static PartitionRemoval removal(MaintenanceSchedule schedule, List<ExpiringTable> tables) {
        return new PartitionRemoval(
                db.database(),
                schedule,
                tables,
                new RemovalSettings(Duration.ofHours(1), Duration.ofSeconds(5), Duration.ofSeconds(1), 100),
                InstantSource.system(),
                new SimpleMeterRegistry());
    }

    @Test
    @DisplayName("OUT-31 a batch is refused when it is repeated after its day has gone, and nothing is stored")
    void refused() {
        fixture.enqueue("paid", part("k"));
        fixture.deliver(fixture.claimOne());
        pass(60);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isZero();

        EnqueueResult again = fixture.tryEnqueue("paid", part("k"));

        assertThat(again).isInstanceOfSatisfying(EnqueueResult.Refused.class, refused -> {
            assertThat(refused.code()).isEqualTo("idempotency_conflict");
            assertThat(refused.pointer()).isEqualTo("/batch_id");
            assertThat(refused.detail()).contains("was stored on").contains("not sent again");
        });
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isZero();
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isZero();
        fixture.enqueue("another", part("k"));
    }

    @Test
    @DisplayName("OUT-31 within the horizon a repeated batch is answered with its parts, and entered once")
    void withinTheHorizon() {
        PartId first = fixture.enqueue("b", part("k")).parts().get(0).id();

        assertThat(fixture.enqueue("b", part("k")).parts().get(0).id()).isEqualTo(first);
        assertThat(fixture.enqueue("b", part("k"), part("k")).parts()).hasSize(2);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_ledger")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-31 a refused batch is not entered, nor is one whose transaction is rolled back")
    void notEntered() {
        fixture.enqueue("b", part("k"));
        assertThat(fixture.tryEnqueue("b", part("other"))).isInstanceOf(EnqueueResult.Refused.class);
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.text(
                    "SELECT tailrace.enqueue(?, '{\"batch_id\": \"rolled back\", \"parts\": [{\"bot_id\": \"7\","
                            + " \"ordering_key\": \"k\", \"method_kind\": \"sendMessage\", \"payload\": {}}]}'::jsonb)",
                    DEFAULT_TENANT);
        }

        assertThat(db.number("SELECT count(*) FROM telegram_outbox_ledger")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-31 one known batch among many refuses none of the others")
    void amongMany() {
        fixture.enqueue("old", part("k"));
        fixture.deliver(fixture.claimOne());
        pass(60);

        List<Future<EnqueueResult>> all = IntStream.range(0, 20)
                .mapToObj(n -> fixture.outbox.enqueue(
                        DEFAULT_TENANT, OutboxFixture.batch(n == 7 ? "old" : "new-" + n, part("k" + n))))
                .toList();

        for (int n = 0; n < all.size(); n++) {
            assertThat(await(all.get(n)))
                    .isInstanceOf(n == 7 ? EnqueueResult.Refused.class : EnqueueResult.Stored.class);
        }
    }

    @Test
    @DisplayName("OUT-31 another tenant's batch of the same name is another")
    void ofATenant() {
        UUID other = UUID.fromString("10000000-0000-0000-0000-00000000000a");
        fixture.enqueue("b", part("k"));
        fixture.deliver(fixture.claimOne());
        pass(60);

        assertThat(await(fixture.outbox.enqueue(other, OutboxFixture.batch("b", part("k")))))
                .isInstanceOf(EnqueueResult.Stored.class);
    }

    @Test
    @DisplayName("OUT-31 the ledger forgets with its months, and is not asked past its days")
    void forgets() {
        fixture.enqueue("b", part("k"));
        fixture.deliver(fixture.claimOne());
        pass(401);
        fixture.enqueue("b", part("k"));
        fixture.deliver(fixture.claimOne());
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_ledger")).isEqualTo(2);

        pass(60);
        RemovalRun run = await(removal(MaintenanceSchedule.MONTHLY, OutboxTables.expiringMonthly(400))
                .runOnce(Duration.ZERO));

        assertThat(run.failure()).isEmpty();
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_ledger")).isEqualTo(1);
        assertThat(fixture.tryEnqueue("b", part("k"))).isInstanceOf(EnqueueResult.Refused.class);
    }

    @Test
    @DisplayName("OUT-31 without a ledger nothing is written, and a batch past the horizon is a new one")
    void off() {
        fixture.close();
        fixture = withLedger(0);
        fixture.enqueue("b", part("k"));
        fixture.deliver(fixture.claimOne());
        pass(60);

        assertThat(fixture.enqueue("b", part("k")).parts().get(0).inserted()).isTrue();
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_ledger")).isZero();
    }
}
