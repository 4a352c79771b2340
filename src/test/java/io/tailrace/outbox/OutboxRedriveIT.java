package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.ambiguous;
import static io.tailrace.outbox.OutboxFixture.deadLetter;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.outbox.OutboxFixture.retry;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.tailrace.worker.PeriodicWorker;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxRedriveIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        fixture = new OutboxFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
        db.clock().reset();
    }

    private static Redrive order(Redrive.Action action, PartState state, @Nullable String bot, int rate) {
        return new Redrive(action, state, bot, null, null, false, rate);
    }

    private Redrive.Ordered ordered(Redrive order, boolean dryRun) {
        return await(fixture.outbox.operator().redrive(DEFAULT_TENANT, null, order, dryRun));
    }

    private Redrive.Progress progress(Redrive.Ordered ordered) {
        UUID id = Objects.requireNonNull(ordered.id());
        return await(fixture.outbox.operator().redrive(DEFAULT_TENANT, null, id))
                .orElseThrow();
    }

    private void runFor(int seconds) {
        for (int i = 0; i < seconds; i++) {
            db.clock().advance(Duration.ofSeconds(1));
            fixture.run("outbox-redrive");
        }
    }

    private void dead(int from, int to, String bot) {
        for (int i = from; i < to; i++) {
            fixture.enqueue("dead-" + i, part("k-" + i).bot(bot), part("k-" + i).bot(bot));
        }
        fixture.claim(to - from).forEach(item -> fixture.settle(deadLetter(item)));
    }

    @Test
    @DisplayName(
            "OUT-24 a redrive brings back what matches at its rate, with the parts that were cancelled; a dry run only counts")
    void atItsRate() {
        dead(0, 12, "7");
        dead(12, 15, "8");
        Redrive order = order(Redrive.Action.RETRY, PartState.DEAD_LETTER, "7", 4);
        String before = fixture.everything();
        assertThat(ordered(order, true)).isEqualTo(new Redrive.Ordered(12, 0, null));
        assertThat(fixture.everything()).isEqualTo(before);
        Redrive.Ordered ordered = ordered(order, false);
        dead(15, 16, "7");
        runFor(1);
        assertThat(progress(ordered).done()).isBetween(4L, 6L);
        assertThat(progress(ordered).finishedAt()).isNull();
        runFor(4);
        assertThat(progress(ordered).done()).isEqualTo(12);
        assertThat(progress(ordered).skipped()).isZero();
        assertThat(progress(ordered).finishedAt()).isNotNull();
        assertThat(fixture.claim(100)).extracting(Claim.Item::botId).hasSize(12).containsOnly("7");
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isEqualTo(24);
    }

    @Test
    @DisplayName("OUT-24 a redrive skips and counts ambiguous parts whose risk was not accepted, and what has moved on")
    void skips() {
        for (DeliveryPolicy policy : DeliveryPolicy.values()) {
            fixture.enqueue(policy.wire(), part(policy.wire()).policy(policy));
        }
        fixture.claim(10).forEach(item -> {
            fixture.start(item);
            fixture.settle(ambiguous(item));
        });
        Redrive order = order(Redrive.Action.RETRY, PartState.AMBIGUOUS, null, 100);
        Redrive.Ordered ordered = ordered(order, false);
        assertThat(ordered.matched()).isEqualTo(4);
        assertThat(ordered.risky()).isEqualTo(2);
        runFor(2);
        assertThat(progress(ordered))
                .extracting(Redrive.Progress::done, Redrive.Progress::skipped, Redrive.Progress::skippedRisk)
                .containsExactly(2L, 2L, 2L);
        Redrive accepted = new Redrive(Redrive.Action.RETRY, PartState.AMBIGUOUS, null, "timeout", null, true, 100);
        assertThat(ordered(accepted, false).matched()).isEqualTo(2);
        runFor(2);
        assertThat(fixture.claim(10)).hasSize(4);
    }

    @Test
    @DisplayName("OUT-24 a redrive cancels, too, and frees the keys")
    void cancels() {
        fixture.enqueue("a", part("a"));
        fixture.enqueue("behind", part("a"));
        fixture.settle(retry(fixture.claimOne(), Duration.ofHours(1)));
        ordered(order(Redrive.Action.CANCEL, PartState.RETRY_WAIT, null, 10), false);
        runFor(1);
        assertThat(fixture.batchStates("a")).containsExactly(PartState.CANCELLED);
        assertThat(fixture.claimOne().batchId()).isEqualTo("behind");
    }

    @Test
    @DisplayName("OUT-24 a redrive has one runner, and whoever goes on after a kill begins where it stood")
    void oneRunner() {
        dead(0, 6, "7");
        Redrive.Ordered ordered = ordered(order(Redrive.Action.RETRY, PartState.DEAD_LETTER, null, 2), false);
        runFor(1);
        long done = progress(ordered).done();
        try (RawTransaction other = new RawTransaction(db)) {
            other.run("SELECT * FROM telegram_outbox_redrives FOR UPDATE");
            runFor(2);
            assertThat(progress(ordered).done()).isEqualTo(done);
        }
        OutboxFixture another = new OutboxFixture(db);
        for (int i = 0; i < 5; i++) {
            db.clock().advance(Duration.ofSeconds(1));
            another.run("outbox-redrive");
            fixture.run("outbox-redrive");
        }
        another.close();
        assertThat(progress(ordered))
                .extracting(Redrive.Progress::done, Redrive.Progress::skipped)
                .containsExactly(6L, 0L);
    }

    @Test
    @DisplayName(
            "OUT-24 an order whose part cannot be done at the moment keeps no other order waiting, and goes on later")
    void failures() {
        dead(0, 1, "7");
        dead(1, 2, "8");
        Redrive.Ordered stuck = ordered(order(Redrive.Action.RETRY, PartState.DEAD_LETTER, "7", 10), false);
        Redrive.Ordered other = ordered(order(Redrive.Action.RETRY, PartState.DEAD_LETTER, "8", 10), false);
        db.execute("CREATE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'for the test'; END $$;"
                + " CREATE TRIGGER fails BEFORE INSERT ON telegram_outbox_inflight FOR EACH ROW WHEN (NEW.bot_id = '7')"
                + " EXECUTE FUNCTION fails()");
        try {
            db.clock().advance(Duration.ofSeconds(1));
            assertThat(TestDatabase.awaitFailure(worker().runOnce())).isNotNull();
            runFor(1);
        } finally {
            db.execute("DROP TRIGGER fails ON telegram_outbox_inflight; DROP FUNCTION fails()");
        }
        assertThat(progress(stuck).done()).isZero();
        assertThat(progress(other).done()).isEqualTo(1);
        runFor(11);
        assertThat(progress(stuck).done()).isEqualTo(1);
    }

    private PeriodicWorker worker() {
        return fixture.outbox.workers().stream()
                .filter(it -> it.name().equals("outbox-redrive"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("OUT-24 a redrive by a key bound to bots touches no other bot's parts, and others do not see it")
    void boundKeys() {
        dead(0, 2, "7");
        dead(2, 3, "8");
        Redrive order = order(Redrive.Action.RETRY, PartState.DEAD_LETTER, null, 10);
        OutboxOperator operator = fixture.outbox.operator();
        Redrive.Ordered ordered = await(operator.redrive(DEFAULT_TENANT, Set.of("8"), order, false));
        assertThat(ordered.matched()).isEqualTo(1);
        UUID id = Objects.requireNonNull(ordered.id());
        assertThat(await(operator.redrive(DEFAULT_TENANT, Set.of("7"), id))).isEmpty();
        assertThat(await(operator.redrive(DEFAULT_TENANT, Set.of("8", "9"), id)))
                .isPresent();
        runFor(1);
        assertThat(fixture.claim(10)).extracting(Claim.Item::botId).containsExactly("8");
    }

    @Test
    @DisplayName(
            "OUT-32 what holds a key or a batch is listed with its state and how many wait; a retry or cancel frees it")
    void blocked() {
        fixture.enqueue("held", part("k"));
        fixture.enqueue("w1", part("k"));
        fixture.enqueue("w2", part("k"));
        Claim.Item held = fixture.claimOne();
        assertThat(blockedIds()).containsExactly(held.id());
        fixture.settle(retry(held, Duration.ofHours(1)));
        BlockedKey key = await(fixture.outbox.operator().blocked(DEFAULT_TENANT, null, 0, 10))
                .get(0);
        assertThat(key.state()).isEqualTo(PartState.RETRY_WAIT);
        assertThat(key.waiting()).isEqualTo(2);
        assertThat(key.orderingKey()).isEqualTo("k");
        assertThat(key.batchId()).isEqualTo("held");
        assertThat(key.lastErrorClass()).isEqualTo("transient");
        fixture.enqueue("alone", part("alone"));
        fixture.settle(retry(fixture.claimOne(), Duration.ofHours(1)));
        EnqueueResult.Stored batch =
                fixture.enqueue("scheduled", part("x").availableAt(OutboxFixture.SOME_DAY), part("y"), part("y"));
        fixture.enqueue("unheld", part("x"));
        PartId scheduled = batch.parts().get(0).id();
        assertThat(blockedIds()).containsExactly(held.id(), scheduled);
        OutboxOperator operator = fixture.outbox.operator();
        assertThat(await(operator.blocked(DEFAULT_TENANT, null, held.id().id(), 10)))
                .extracting(BlockedKey::waiting)
                .containsExactly(2);
        assertThat(await(operator.blocked(DEFAULT_TENANT, Set.of("8"), 0, 10))).isEmpty();
        await(operator.cancel(DEFAULT_TENANT, null, held.id()));
        await(operator.retry(DEFAULT_TENANT, null, scheduled, false));
        assertThat(blockedIds()).isEmpty();
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactlyInAnyOrder("w1", "scheduled");
    }

    private List<PartId> blockedIds() {
        return await(fixture.outbox.operator().blocked(DEFAULT_TENANT, null, 0, 10)).stream()
                .map(BlockedKey::id)
                .toList();
    }
}
