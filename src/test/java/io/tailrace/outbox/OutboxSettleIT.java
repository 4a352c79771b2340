package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.delivered;
import static io.tailrace.outbox.OutboxFixture.lease;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OutboxSettleIT {
    private static final Settlement.Failure FAILURE = new Settlement.Failure("transient", "bad gateway", 502);

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

    /** One thing that a worker says about a lease. */
    interface Word {
        LeaseResult say(OutboxFixture fixture, Lease lease);
    }

    interface Settling {
        Settlement with(Lease lease);
    }

    private static Arguments settlement(String name, Settling settling) {
        return Arguments.of(name, (Word) (fixture, lease) -> fixture.settle(settling.with(lease)));
    }

    static Stream<Arguments> settlements() {
        return Stream.of(
                settlement("delivered", l -> new Settlement.Delivered(l, List.of("5"), null, "message", 200)),
                settlement("retry", l -> new Settlement.Retry(l, Duration.ofHours(1), null, null, FAILURE)),
                settlement("throttled", l -> new Settlement.Throttled(l, Duration.ofHours(1), false, FAILURE)),
                settlement("release", Settlement.Release::new),
                settlement("ambiguous", l -> new Settlement.Ambiguous(l, FAILURE)),
                settlement("dead_letter", l -> new Settlement.DeadLetter(l, FAILURE)));
    }

    static Stream<Arguments> words() {
        Word start = (fixture, lease) ->
                await(fixture.outbox.start(DEFAULT_TENANT, List.of(lease))).get(0);
        Word renew =
                (fixture, lease) -> await(fixture.outbox.renew(DEFAULT_TENANT, List.of(lease), Duration.ofMinutes(10)))
                        .get(0);
        return Stream.concat(Stream.of(Arguments.of("start", start), Arguments.of("renew", renew)), settlements());
    }

    private void assertLost(Word word, Lease lease) {
        String before = fixture.everything();
        assertThat(word.say(fixture, lease)).isInstanceOfSatisfying(LeaseResult.Refused.class, refused -> {
            assertThat(refused.code()).isEqualTo("lease_lost");
            assertThat(refused.id()).isEqualTo(lease.id());
        });
        assertThat(fixture.everything()).isEqualTo(before);
    }

    @ParameterizedTest(name = "OUT-16 {0} with another token is lease_lost and changes nothing")
    @MethodSource("words")
    void wrongToken(String name, Word word) {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        assertLost(word, new Lease(item.id(), item.leaseToken() + 1));
        assertLost(word, new Lease(item.id(), item.leaseToken() - 1));
        assertThat(fixture.counted("lease_lost")).isEqualTo(2);
    }

    @ParameterizedTest(name = "OUT-16 {0} after the part was claimed again is lease_lost and changes nothing")
    @MethodSource("words")
    void claimedAgain(String name, Word word) {
        fixture.enqueue("b", part("k").policy(DeliveryPolicy.EPHEMERAL));
        Claim.Item first = fixture.claimOne();
        fixture.start(first);
        fixture.settle(OutboxFixture.retry(first, Duration.ZERO));
        Claim.Item second = fixture.claimOne();
        fixture.start(second);
        assertLost(word, lease(first));
    }

    @ParameterizedTest(name = "OUT-16 {0} on an expired lease is lease_lost and changes nothing, rescued or not")
    @MethodSource("words")
    void expiredLease(String name, Word word) {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        db.clock().advance(Duration.ofSeconds(91));
        assertLost(word, lease(item));
        fixture.run("outbox-rescue");
        if (!name.equals("delivered")) {
            assertLost(word, lease(item));
        }
    }

    @ParameterizedTest(name = "OUT-16 the same {0} again is answered ok as a replay and changes nothing")
    @MethodSource("settlements")
    void replayed(String name, Word word) {
        fixture.enqueue("b", part("k"), part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        LeaseResult.Done done = (LeaseResult.Done) word.say(fixture, lease(item));
        assertThat(done.replayed()).isFalse();
        String before = fixture.everything();
        LeaseResult.Done again = (LeaseResult.Done) word.say(fixture, lease(item));
        assertThat(again.replayed()).isTrue();
        assertThat(again.state()).isEqualTo(done.state()).isEqualTo(fixture.state(item.id()));
        assertThat(fixture.everything()).isEqualTo(before);
        // Another word about the same lease is not a repetition.
        if (name.equals("retry") || name.equals("throttled")) {
            assertThat(fixture.settle(new Settlement.Release(lease(item)))).isInstanceOf(LeaseResult.Refused.class);
        } else {
            assertThat(fixture.settle(OutboxFixture.retry(item, Duration.ZERO)))
                    .isInstanceOf(LeaseResult.Refused.class);
        }
        assertThat(fixture.everything()).isEqualTo(before);
    }

    @Test
    @DisplayName(
            "OUT-16 the same start again is answered ok as a replay, also when the part has ended, and changes nothing")
    void startReplayed() {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        LeaseResult.Done first = (LeaseResult.Done) fixture.start(item);
        assertThat(first.replayed()).isFalse();
        assertThat(first.leasedUntil()).isEqualTo(item.leasedUntil());
        Instant started = fixture.attempts(item.id()).get(0).requestStartedAt();
        LeaseResult.Done second = (LeaseResult.Done) fixture.start(item);
        assertThat(second.replayed()).isTrue();
        assertThat(fixture.attempts(item.id()).get(0).requestStartedAt()).isEqualTo(started);
        fixture.settle(delivered(item));
        String before = fixture.everything();
        assertThat(fixture.start(item)).isInstanceOfSatisfying(LeaseResult.Done.class, done -> {
            assertThat(done.replayed()).isTrue();
            assertThat(done.state()).isEqualTo(PartState.DELIVERED);
        });
        assertThat(fixture.everything()).isEqualTo(before);
    }

    @Test
    @DisplayName("OUT-16 late evidence resolves a part that its lapse put into retry_wait and nobody has claimed since")
    void lateForRetryWait() {
        fixture.enqueue("b", part("k").policy(DeliveryPolicy.TARGET_IDEMPOTENT), part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
        assertThat(fixture.state(item.id())).isEqualTo(PartState.RETRY_WAIT);
        LeaseResult.Done done = (LeaseResult.Done) fixture.settle(delivered(item));
        assertThat(done.replayed()).isFalse();
        assertThat(done.state()).isEqualTo(PartState.DELIVERED);
        assertThat(fixture.view(item.id()).messageIds()).containsExactly("5");
        assertThat(fixture.claimOne().partIndex()).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-16 late evidence with an older token, or after a worker's own ambiguous, is lease_lost")
    void notLateEvidence() {
        fixture.enqueue("b", part("k"));
        Claim.Item first = fixture.claimOne();
        fixture.settle(OutboxFixture.retry(first, Duration.ZERO));
        Claim.Item second = fixture.claimOne();
        fixture.start(second);
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
        assertThat(fixture.state(second.id())).isEqualTo(PartState.AMBIGUOUS);
        assertLost((f, lease) -> f.settle(delivered(first)), lease(first));
        fixture.enqueue("own", part("own"));
        Claim.Item own = fixture.claimOne();
        fixture.start(own);
        fixture.settle(OutboxFixture.ambiguous(own));
        assertLost((f, lease) -> f.settle(delivered(own)), lease(own));
    }

    @Test
    @DisplayName("OUT-17 delivered and ambiguous need a start; retry, release and dead_letter do not")
    void notStarted() {
        for (String batch : new String[] {"b1", "b2", "b3"}) {
            fixture.enqueue(batch, part(batch));
        }
        List<Claim.Item> items = fixture.claim(3);
        String before = fixture.everything();
        for (Settlement early : List.of(delivered(items.get(0)), OutboxFixture.ambiguous(items.get(0)))) {
            assertThat(fixture.settle(early))
                    .isInstanceOfSatisfying(LeaseResult.Refused.class, refused -> assertThat(refused.code())
                            .isEqualTo("not_started"));
        }
        assertThat(fixture.everything()).isEqualTo(before);
        for (Settlement settlement : List.of(
                OutboxFixture.retry(items.get(0), Duration.ZERO),
                new Settlement.Release(lease(items.get(1))),
                OutboxFixture.deadLetter(items.get(2)))) {
            assertThat(fixture.settle(settlement)).isInstanceOf(LeaseResult.Done.class);
        }
    }

    @Test
    @DisplayName("OUT-17 a start is recorded for its own lease only: the next one needs a start of its own")
    void startOfAnEarlierLease() {
        fixture.enqueue("b", part("k"));
        Claim.Item first = fixture.claimOne();
        fixture.start(first);
        fixture.settle(OutboxFixture.retry(first, Duration.ZERO));
        Claim.Item second = fixture.claimOne();
        assertThat(fixture.settle(delivered(second)))
                .isInstanceOfSatisfying(LeaseResult.Refused.class, refused -> assertThat(refused.code())
                        .isEqualTo("not_started"));
        assertThat(fixture.attempts(first.id()))
                .extracting(attempt -> attempt.requestStartedAt() != null)
                .containsExactly(true, false);
    }

    @Test
    @DisplayName("OUT-21 a renewal extends a live lease from now; nothing else is renewed")
    void renewal() {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claim(1, Duration.ofSeconds(10)).get(0);
        db.clock().advance(Duration.ofSeconds(8));
        Instant before = db.clock().now();
        LeaseResult.Done renewed = (LeaseResult.Done)
                await(fixture.outbox.renew(DEFAULT_TENANT, List.of(lease(item)), Duration.ofSeconds(10)))
                        .get(0);
        assertThat(renewed.leasedUntil())
                .isBetween(before.plusSeconds(10), db.clock().now().plusSeconds(10))
                .isEqualTo(fixture.view(item.id()).leasedUntil());
        db.clock().advance(Duration.ofSeconds(8));
        fixture.run("outbox-rescue");
        assertThat(fixture.state(item.id())).isEqualTo(PartState.LEASED);
        assertThat(fixture.deliver(item)).isInstanceOf(LeaseResult.Done.class);
        assertThat(await(fixture.outbox.renew(DEFAULT_TENANT, List.of(lease(item)), Duration.ofSeconds(10))))
                .allMatch(LeaseResult.Refused.class::isInstance);
    }

    @Test
    @DisplayName("ending many parts joins no list with another: by nested loops that costs the square of their number")
    void endingIsLinear() {
        try (RawTransaction session = new RawTransaction(db)) {
            session.run("SET LOCAL plan_cache_mode = force_generic_plan")
                    .run("SET LOCAL enable_hashjoin = off")
                    .run("SET LOCAL enable_mergejoin = off")
                    .run("SET LOCAL enable_seqscan = off")
                    .run("PREPARE ending AS " + OutboxSettlements.END.formatted("true", "true"));
            String plan = session.text("EXPLAIN (FORMAT JSON) EXECUTE ending(" + "NULL,".repeat(9) + "NULL)");
            assertThat(plan).contains("Nested Loop").doesNotContain("Join Filter");
        }
    }
}
