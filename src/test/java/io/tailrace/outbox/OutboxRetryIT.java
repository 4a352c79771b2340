package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.lease;
import static io.tailrace.outbox.OutboxFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class OutboxRetryIT {
    private static final Settlement.Failure FAILURE = new Settlement.Failure("transient", "bad gateway", 502);
    private static final Settlement.Failure TOO_MANY = new Settlement.Failure("throttled", "slow down", 429);

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

    private static Settlement.Retry retry(Claim.Item item) {
        return new Settlement.Retry(lease(item), null, null, null, FAILURE);
    }

    private static Settlement.Throttled throttled(Claim.Item item, @Nullable Duration after, boolean wholeBot) {
        return new Settlement.Throttled(lease(item), after, wholeBot, TOO_MANY);
    }

    /** Settles and expects available_at to be exactly {@code delay} after some instant of the call. */
    private void expectDelay(Claim.Item item, Settlement settlement, Duration delay) {
        Instant before = db.clock().now();
        LeaseResult.Done done = (LeaseResult.Done) fixture.settle(settlement);
        Instant after = db.clock().now();
        assertThat(done.state()).isEqualTo(PartState.RETRY_WAIT);
        assertThat(fixture.view(item.id()).availableAt()).isBetween(before.plus(delay), after.plus(delay));
    }

    /** The first four bytes of the operation's digest, big-endian, modulo 250. */
    private static Duration jitter(Claim.Item item) {
        long first =
                Long.parseLong(item.operationId().substring("tgop:v1:".length()).substring(0, 8), 16);
        return Duration.ofMillis(first % 250);
    }

    @ParameterizedTest(name = "OUT-19 after attempt {0} the default delay is {1} ms and the jitter of the part")
    @CsvSource({"1, 500", "2, 1000", "3, 2000", "10, 256000", "11, 512000", "12, 600000", "100, 600000"})
    void defaultDelay(int attempt, long millis) {
        fixture.enqueue("b" + attempt, part("k"));
        db.execute("UPDATE telegram_outbox_inflight SET attempt_count = ?", attempt - 1);
        Claim.Item item = fixture.claimOne();
        assertThat(item.attempt()).isEqualTo(attempt);
        expectDelay(item, retry(item), Duration.ofMillis(millis).plus(jitter(item)));
    }

    @Test
    @DisplayName("OUT-19 a 429 waits exactly retry_after, 60 s when absent, and is a throttle, not an attempt")
    void throttle() {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        expectDelay(item, throttled(item, Duration.ofSeconds(17), false), Duration.ofSeconds(17));
        db.clock().advance(Duration.ofSeconds(17));
        Claim.Item second = fixture.claimOne();
        assertThat(second.attempt()).isEqualTo(1);
        assertThat(second.leaseToken()).isEqualTo(2);
        fixture.start(second);
        expectDelay(second, throttled(second, null, false), Duration.ofSeconds(60));
        PartView view = fixture.view(item.id());
        assertThat(view.attemptCount()).isZero();
        assertThat(view.throttleCount()).isEqualTo(2);
        assertThat(fixture.counted("throttled")).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "OUT-19 a 429 of scope bot pauses the whole bot for that time, and no other bot; of scope key, the key only")
    void pausesBot() {
        fixture.enqueue("b1", part("k1"));
        fixture.enqueue("b2", part("k2"));
        fixture.enqueue("other bot", part("k1").bot("8"));
        Claim.Item first = fixture.claimOne();
        fixture.settle(throttled(first, Duration.ofSeconds(5), false));
        Claim.Item second = fixture.claimOne();
        assertThat(second.batchId()).isEqualTo("b2");
        fixture.settle(throttled(second, Duration.ofSeconds(30), true));
        fixture.enqueue("b3", part("k3"));
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactly("other bot");
        db.clock().advance(Duration.ofSeconds(29));
        assertThat(fixture.claim(10)).isEmpty();
        assertThat(fixture.claim(OutboxFixture.claimOf(10, "7"))).isEmpty();
        db.clock().advance(Duration.ofSeconds(1));
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactlyInAnyOrder("b1", "b2", "b3");
        fixture.run("outbox-expiry");
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_paused_bots"))
                .isZero();
    }

    @Test
    @DisplayName("OUT-19 a shorter pause does not shorten a longer one, and an operator's stays without an end")
    void pausesAdd() {
        fixture.enqueue("b1", part("k1"));
        fixture.enqueue("b2", part("k2"));
        fixture.enqueue("b3", part("k3").bot("8"));
        for (Claim.Item item : fixture.claim(10)) {
            if (item.botId().equals("8")) {
                db.execute(
                        "INSERT INTO telegram_outbox_paused_bots VALUES (?, '8', NULL, 'operator')",
                        OutboxFixture.DEFAULT_TENANT);
                fixture.settle(throttled(item, Duration.ofSeconds(1), true));
            } else {
                fixture.settle(throttled(item, Duration.ofSeconds(item.batchId().equals("b1") ? 60 : 5), true));
            }
        }
        db.clock().advance(Duration.ofSeconds(6));
        assertThat(fixture.claim(10)).isEmpty();
        db.clock().advance(Duration.ofSeconds(55));
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactlyInAnyOrder("b1", "b2");
    }

    @ParameterizedTest(name = "OUT-19 a retry of a {0} part that is 24 hours old ends it")
    @EnumSource(DeliveryPolicy.class)
    void tooOld(DeliveryPolicy policy) {
        for (String batch : new String[] {"young", "started", "unstarted", "throttled"}) {
            fixture.enqueue(batch, part(batch).policy(policy));
        }
        List<Claim.Item> items = fixture.claim(10, Duration.ofDays(2));
        Claim.Item young = items.get(0);
        Claim.Item started = items.get(1);
        Claim.Item unstarted = items.get(2);
        Claim.Item throttled = items.get(3);
        List.of(young, started, throttled).forEach(fixture::start);
        db.clock().advance(Duration.ofHours(24).minusSeconds(60));
        assertThat(settledAs(retry(young))).isEqualTo(PartState.RETRY_WAIT);
        db.clock().advance(Duration.ofSeconds(60));
        PartState end = policy.mayRepeat() ? PartState.DEAD_LETTER : PartState.AMBIGUOUS;
        assertThat(settledAs(retry(started))).isEqualTo(end);
        assertThat(settledAs(retry(unstarted))).isEqualTo(PartState.DEAD_LETTER);
        assertThat(settledAs(throttled(throttled, Duration.ZERO, false))).isEqualTo(end);
        PartView view = fixture.view(started.id());
        assertThat(view.lastErrorClass()).isEqualTo("transient");
        assertThat(view.lastError()).contains("bad gateway", "given up", "24H");
    }

    private PartState settledAs(Settlement settlement) {
        return ((LeaseResult.Done) fixture.settle(settlement)).state();
    }

    @Test
    @DisplayName("OUT-19 age and a cap on attempts are settings of a delivery policy; throttles are not attempts")
    void configured() {
        RetryPolicy.Rule strict = new RetryPolicy.Rule(Duration.ofMinutes(1), 2);
        fixture.close();
        fixture = new OutboxFixture(
                db, OutboxFixture.settingsWithPolicy(new RetryPolicy(Map.of(DeliveryPolicy.EPHEMERAL, strict))));
        fixture.enqueue("capped", part("capped").policy(DeliveryPolicy.EPHEMERAL));
        fixture.settle(throttled(fixture.claimOne(), Duration.ZERO, false));
        fixture.settle(OutboxFixture.retry(fixture.claimOne(), Duration.ZERO));
        Claim.Item last = fixture.claimOne();
        assertThat(last.attempt()).isEqualTo(2);
        assertThat(settledAs(OutboxFixture.retry(last, Duration.ZERO))).isEqualTo(PartState.DEAD_LETTER);

        fixture.enqueue("aged", part("aged").policy(DeliveryPolicy.EPHEMERAL));
        fixture.enqueue("other", part("other"));
        List<Claim.Item> items = fixture.claim(10);
        db.clock().advance(Duration.ofSeconds(61));
        assertThat(settledAs(retry(items.get(0)))).isEqualTo(PartState.DEAD_LETTER);
        assertThat(settledAs(retry(items.get(1)))).isEqualTo(PartState.RETRY_WAIT);
    }
}
