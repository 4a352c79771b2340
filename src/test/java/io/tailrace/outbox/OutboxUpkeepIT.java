package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.delivered;
import static io.tailrace.outbox.OutboxFixture.lease;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutboxUpkeepIT {
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

    private Claim.Item claimed(OutboxFixture.Builder part, boolean started) {
        fixture.enqueue("b", part);
        Claim.Item item = fixture.claimOne();
        if (started) {
            fixture.start(item);
        }
        return item;
    }

    private void lapse() {
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
    }

    @ParameterizedTest(name = "OUT-22 a lapsed lease of a {0} part, started: {1}, goes to {2}")
    @CsvSource({
        "CREATE, false, RETRY_WAIT", "CREATE, true, AMBIGUOUS",
        "FINANCIAL, false, RETRY_WAIT", "FINANCIAL, true, AMBIGUOUS",
        "TARGET_IDEMPOTENT, false, RETRY_WAIT", "TARGET_IDEMPOTENT, true, RETRY_WAIT",
        "EPHEMERAL, false, RETRY_WAIT", "EPHEMERAL, true, RETRY_WAIT"
    })
    void rescue(DeliveryPolicy policy, boolean started, PartState target) {
        Claim.Item item = claimed(part("k").policy(policy), started);
        lapse();
        PartView view = fixture.view(item.id());
        assertThat(view.state()).isEqualTo(target);
        assertThat(view.lastErrorClass()).isEqualTo("lease_lapsed");
        assertThat(view.rescueCount()).isEqualTo(target == PartState.RETRY_WAIT ? 1 : 0);
        assertThat(view.leaseOwner()).isNull();
        assertThat(fixture.attempts(item.id())).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo("lapsed");
            assertThat(attempt.requestStartedAt() != null).isEqualTo(started);
        });
        assertThat(fixture.counted("rescued", "target", target.wire())).isEqualTo(1);
        if (target == PartState.RETRY_WAIT) {
            assertThat(fixture.claimOne().attempt()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("OUT-17, OUT-22 parts that their claim started count as perhaps sent, whichever bots it was for")
    void startedByTheClaim() {
        PartId id = fixture.enqueue("b", part("k")).parts().get(0).id();
        Claim claim = new Claim("w", null, 1, null, Duration.ofSeconds(10), Duration.ZERO, true).of(List.of("7"));
        Claim.Item item = fixture.claim(claim).get(0);
        assertThat(fixture.start(item))
                .isInstanceOfSatisfying(LeaseResult.Done.class, done -> assertThat(done.replayed())
                        .isTrue());

        db.clock().advance(Duration.ofSeconds(11));
        fixture.run("outbox-rescue");

        assertThat(fixture.state(id)).isEqualTo(PartState.AMBIGUOUS);
    }

    @ParameterizedTest(name = "OUT-22 a lapsed lease whose part has passed its time goes to expired, started: {0}")
    @CsvSource({"true", "false"})
    void rescueExpired(boolean started) {
        Claim.Item item = claimed(part("k").expiresAt(db.clock().now().plusSeconds(60)), started);
        fixture.enqueue("behind", part("k"));
        lapse();
        assertThat(fixture.state(item.id())).isEqualTo(PartState.EXPIRED);
        assertThat(fixture.counted("rescued", "target", "expired")).isEqualTo(1);
        assertThat(fixture.claimOne().batchId()).isEqualTo("behind");
    }

    @Test
    @DisplayName(
            "OUT-22 five lapses in a row end the part as lease_expired_repeatedly; any outcome begins the count anew")
    void fiveLapses() {
        Claim.Item item = claimed(part("k"), false);
        for (int i = 0; i < 4; i++) {
            lapse();
            assertThat(fixture.state(item.id())).isEqualTo(PartState.RETRY_WAIT);
            fixture.claimOne();
        }
        fixture.settle(
                new Settlement.Retry(new Lease(item.id(), 5), Duration.ZERO, null, null, Settlement.Failure.NONE));
        fixture.claimOne();
        for (int i = 0; i < 4; i++) {
            lapse();
            assertThat(fixture.state(item.id())).isEqualTo(PartState.RETRY_WAIT);
            fixture.claimOne();
        }
        lapse();
        PartView view = fixture.view(item.id());
        assertThat(view.state()).isEqualTo(PartState.DEAD_LETTER);
        assertThat(view.lastErrorClass()).isEqualTo("lease_expired_repeatedly");
        assertThat(view.rescueCount()).isEqualTo(8);
        assertThat(fixture.attempts(item.id())).hasSize(10);
    }

    @Test
    @DisplayName("OUT-22 a missing attempt row counts as started")
    void missingAttempt() {
        Claim.Item item = claimed(part("k"), false);
        db.execute("DELETE FROM telegram_outbox_attempts");
        lapse();
        assertThat(fixture.state(item.id())).isEqualTo(PartState.AMBIGUOUS);
    }

    @Test
    @DisplayName("OUT-22 a live lease, a renewed one and one that was settled meanwhile are left alone")
    void liveLeases() {
        for (String batch : new String[] {"live", "renewed", "settled"}) {
            fixture.enqueue(batch, part(batch));
        }
        List<Claim.Item> items = fixture.claim(3);
        items.forEach(fixture::start);
        db.clock().advance(Duration.ofSeconds(60));
        await(fixture.outbox.renew(DEFAULT_TENANT, List.of(lease(items.get(1))), Duration.ofSeconds(90)));
        fixture.settle(delivered(items.get(2)));
        String before = fixture.everything();
        fixture.run("outbox-rescue");
        assertThat(fixture.everything()).isEqualTo(before);
        lapseOnly(31);
        assertThat(fixture.state(items.get(0).id())).isEqualTo(PartState.AMBIGUOUS);
        assertThat(fixture.state(items.get(1).id())).isEqualTo(PartState.LEASED);
        assertThat(fixture.state(items.get(2).id())).isEqualTo(PartState.DELIVERED);
    }

    private void lapseOnly(long seconds) {
        db.clock().advance(Duration.ofSeconds(seconds));
        fixture.run("outbox-rescue");
    }

    @Test
    @DisplayName("OUT-22 two rescues at once, and a rescue beside a settlement, take a lease back once")
    void rescuesAtOnce() {
        for (int i = 0; i < 20; i++) {
            fixture.enqueue("b" + i, part("k" + i));
        }
        fixture.claim(20);
        db.clock().advance(Duration.ofSeconds(91));
        OutboxFixture another = new OutboxFixture(db);
        try {
            Future<Void> one = fixture.outbox.workers().get(0).runOnce();
            Future<Void> two = another.outbox.workers().get(0).runOnce();
            await(one);
            await(two);
            assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight WHERE rescue_count = 1"))
                    .isEqualTo(20);
        } finally {
            another.close();
        }
    }

    @Test
    @DisplayName("OUT-22 a lease that somebody has just locked is left to the next rescue")
    void skipsLocked() {
        Claim.Item item = claimed(part("k"), false);
        try (RawTransaction other = new RawTransaction(db)) {
            other.run("SELECT FROM telegram_outbox_inflight FOR UPDATE");
            lapse();
        }
        assertThat(fixture.state(item.id())).isEqualTo(PartState.LEASED);
        fixture.run("outbox-rescue");
        assertThat(fixture.state(item.id())).isEqualTo(PartState.RETRY_WAIT);
    }

    @Test
    @DisplayName(
            "OUT-22 the scan for lapsed leases and the one for passed times walk an index, however many parts there are")
    void plans() {
        db.execute("""
                INSERT INTO telegram_outbox_inflight (id, created_at, tenant_id, key_id, bot_id, part_index, priority,
                    delivery_policy, turn, available_at, retry_jitter_ms, updated_at)
                SELECT i, now(), tailrace.default_tenant(), i, '7', 0, 0, 'create', 'c', now(), 0, now()
                  FROM generate_series(1, 20000) i;
                ANALYZE telegram_outbox_inflight""");
        assertThat(plan("state = 'leased' AND leased_until <= (SELECT tailrace_now()) ORDER BY leased_until LIMIT 500"))
                .contains("telegram_outbox_inflight_lease")
                .doesNotContain("Seq Scan");
        assertThat(plan("turn <> 'l' AND expires_at IS NOT NULL AND expires_at <= (SELECT tailrace_now())"
                        + " ORDER BY expires_at LIMIT 500"))
                .contains("telegram_outbox_inflight_expiry")
                .doesNotContain("Seq Scan");
    }

    private String plan(String condition) {
        return db.query("EXPLAIN SELECT id FROM telegram_outbox_inflight WHERE " + condition)
                .toString();
    }

    @Test
    @DisplayName(
            "OUT-23 the sweep expires pending and retry_wait parts past their time, scheduled and queued ones included")
    void expires() {
        Instant soon = db.clock().now().plusSeconds(10);
        fixture.enqueue("waiting", part("k1").expiresAt(soon));
        fixture.settle(OutboxFixture.retry(fixture.claimOne(), Duration.ofHours(1)));
        fixture.enqueue("leased", part("k2").expiresAt(soon));
        Claim.Item leased = fixture.claimOne();
        fixture.enqueue("queued", part("k2").expiresAt(soon));
        fixture.enqueue("pending", part("k3").expiresAt(soon));
        fixture.enqueue(
                "scheduled", part("k4").availableAt(soon.plusSeconds(100)).expiresAt(soon));
        fixture.enqueue("later", part("k5").expiresAt(soon.plusSeconds(100)));
        fixture.enqueue("never", part("k1"));
        db.clock().advance(Duration.ofSeconds(9));
        fixture.run("outbox-expiry");
        assertThat(db.number("SELECT count(*) FROM telegram_outbox WHERE state = 'expired'"))
                .isZero();
        db.clock().advance(Duration.ofSeconds(2));
        fixture.run("outbox-expiry");
        assertThat(db.query("SELECT batch_id FROM telegram_outbox WHERE state = 'expired' ORDER BY 1"))
                .extracting(row -> row.get("batch_id"))
                .containsExactly("pending", "queued", "scheduled", "waiting");
        assertThat(fixture.state(leased.id())).isEqualTo(PartState.LEASED);
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactly("later", "never");
        assertThat(fixture.counted("expired")).isEqualTo(4);
    }

    @Test
    @DisplayName("OUT-23 the largest batch is expired in one run, chunk by chunk")
    void expiresMany() {
        Instant soon = db.clock().now().plusSeconds(1);
        OutboxFixture.Builder[] parts = new OutboxFixture.Builder[BatchRules.MAX_PARTS];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = part("k" + i % 7).expiresAt(soon);
        }
        fixture.enqueue("many", parts);
        db.clock().advance(Duration.ofSeconds(2));
        fixture.run("outbox-expiry");
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isZero();
    }

    @Test
    @DisplayName("OUT-30 each thing that happens to a part is counted once")
    void counters() {
        for (int i = 0; i < 5; i++) {
            fixture.enqueue("b" + i, part("k" + i), part("k" + i));
        }
        List<Claim.Item> items = fixture.claim(10);
        items.forEach(fixture::start);
        fixture.settle(delivered(items.get(0)));
        fixture.settle(delivered(items.get(0)));
        fixture.settle(OutboxFixture.ambiguous(items.get(1)));
        fixture.settle(OutboxFixture.deadLetter(items.get(2)));
        fixture.settle(OutboxFixture.retry(items.get(3), Duration.ofHours(1)));
        fixture.settle(new Settlement.Release(new Lease(items.get(4).id(), 9)));
        assertThat(fixture.counted("claimed")).isEqualTo(5);
        assertThat(fixture.counted("delivered")).isEqualTo(1);
        assertThat(fixture.counted("ambiguous")).isEqualTo(1);
        assertThat(fixture.counted("dead_lettered")).isEqualTo(1);
        assertThat(fixture.counted("cancelled")).isEqualTo(2);
        assertThat(fixture.counted("retried")).isEqualTo(1);
        assertThat(fixture.counted("throttled")).isZero();
        assertThat(fixture.counted("lease_lost")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-30 gauges tell the depth by state and the age of the oldest claimable part")
    void gauges() {
        fixture.enqueue("b1", part("k1"));
        fixture.enqueue("b2", part("k2"));
        fixture.settle(OutboxFixture.retry(fixture.claimOne(), Duration.ofHours(1)));
        fixture.claimOne();
        fixture.enqueue("b3", part("k3"));
        db.clock().advance(Duration.ofSeconds(40));
        fixture.run("outbox-sample");
        for (String state : new String[] {"pending", "leased", "retry_wait"}) {
            assertThat(fixture.gauged("depth", "state", state)).isEqualTo(1);
        }
        assertThat(fixture.gauged("oldest.claimable.age")).isBetween(40.0, 70.0);
    }

    @Test
    @DisplayName("OUT-30 a scheduled part that is due is claimable, also while nobody claims")
    void oldestOfScheduled() {
        fixture.enqueue("b", part("k").availableAt(db.clock().now().plusSeconds(10)));
        fixture.run("outbox-sample");
        assertThat(fixture.gauged("oldest.claimable.age")).isZero();
        db.clock().advance(Duration.ofSeconds(70));
        fixture.run("outbox-sample");
        assertThat(fixture.gauged("oldest.claimable.age")).isBetween(60.0, 90.0);
    }
}
