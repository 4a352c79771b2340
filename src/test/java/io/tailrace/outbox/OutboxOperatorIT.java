package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.ambiguous;
import static io.tailrace.outbox.OutboxFixture.deadLetter;
import static io.tailrace.outbox.OutboxFixture.delivered;
import static io.tailrace.outbox.OutboxFixture.lease;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.outbox.OutboxFixture.retry;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OutboxOperatorIT {
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

    private OperatorResult retried(PartId id, boolean accept) {
        return await(fixture.outbox.operator().retry(DEFAULT_TENANT, null, id, accept));
    }

    private OperatorResult cancelled(PartId id) {
        return await(fixture.outbox.operator().cancel(DEFAULT_TENANT, null, id));
    }

    private static @Nullable String refusal(OperatorResult result) {
        return result instanceof OperatorResult.Refused refused ? refused.code() : null;
    }

    private static OperatorResult done(PartState state) {
        return new OperatorResult.Done(state, true);
    }

    private Claim.Item ended(DeliveryPolicy policy, boolean dead) {
        fixture.enqueue("b", part("k").policy(policy), part("k"), part("other"));
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        fixture.settle(dead ? deadLetter(item) : ambiguous(item));
        return item;
    }

    @Test
    @DisplayName(
            "OUT-24 retry of a dead letter brings it back at once with its counters, and the parts it had cancelled")
    void retryDeadLetter() {
        Claim.Item item = ended(DeliveryPolicy.CREATE, true);
        assertThat(fixture.batchStates("b"))
                .containsExactly(PartState.DEAD_LETTER, PartState.CANCELLED, PartState.CANCELLED);
        assertThat(retried(item.id(), false)).isEqualTo(done(PartState.PENDING));
        assertThat(fixture.batchStates("b")).containsOnly(PartState.PENDING);
        assertThat(fixture.view(item.id()).leaseToken()).isEqualTo(1);
        Claim.Item again = fixture.claimOne();
        assertThat(again.id()).isEqualTo(item.id());
        assertThat(again.leaseToken()).isEqualTo(2);
        assertThat(again.attempt()).isEqualTo(2);
        assertThat(fixture.settle(delivered(item))).isInstanceOf(LeaseResult.Refused.class);
        fixture.deliver(again);
        assertThat(fixture.deliver(fixture.claimOne())).isInstanceOf(LeaseResult.Done.class);
        assertThat(fixture.deliver(fixture.claimOne())).isInstanceOf(LeaseResult.Done.class);
        assertThat(fixture.batchStates("b")).containsOnly(PartState.DELIVERED);
        assertThat(refusal(retried(item.id(), true))).isEqualTo("wrong_state");
        assertThat(refusal(cancelled(item.id()))).isEqualTo("wrong_state");
    }

    @ParameterizedTest(
            name = "OUT-24 an ambiguous {0} part: the risk of a second one has to be accepted where it matters")
    @EnumSource(DeliveryPolicy.class)
    void duplicateRisk(DeliveryPolicy policy) {
        Claim.Item item = ended(policy, false);
        if (!policy.mayRepeat()) {
            String before = fixture.everything();
            assertThat(refusal(retried(item.id(), false))).isEqualTo("duplicate_risk");
            assertThat(fixture.everything()).isEqualTo(before);
        }
        assertThat(retried(item.id(), !policy.mayRepeat())).isEqualTo(done(PartState.PENDING));
        assertThat(fixture.claimOne().id()).isEqualTo(item.id());
    }

    @Test
    @DisplayName("OUT-24 a revived part takes its turn by id once its key is free")
    void byId() {
        Claim.Item first = ended(DeliveryPolicy.CREATE, true);
        fixture.enqueue("later", part("k"));
        fixture.enqueue("latest", part("k"));
        Claim.Item later = fixture.claimOne();
        assertThat(later.batchId()).isEqualTo("later");
        retried(first.id(), false);
        assertThat(fixture.claim(10)).isEmpty();
        fixture.deliver(later);
        assertThat(fixture.claimOne().id()).isEqualTo(first.id());
    }

    @Test
    @DisplayName(
            "OUT-24 a part cancelled with its predecessor is not retried before it; the refusal names the predecessor")
    void predecessorFirst() {
        Claim.Item item = ended(DeliveryPolicy.CREATE, true);
        PartId second = await(fixture.outbox.batch(DEFAULT_TENANT, "b")).get(1).id();
        OperatorResult result = retried(second, false);
        assertThat(refusal(result)).isEqualTo("wrong_state");
        assertThat(((OperatorResult.Refused) result).detail())
                .contains(item.id().opaque());
    }

    @Test
    @DisplayName("OUT-24 retry makes a part in retry_wait or scheduled for later due now")
    void dueNow() {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.settle(retry(item, Duration.ofHours(1)));
        PartId scheduled = fixture.enqueue("s", part("s").availableAt(OutboxFixture.SOME_DAY))
                .parts()
                .get(0)
                .id();
        assertThat(fixture.claim(10)).isEmpty();
        assertThat(retried(item.id(), false)).isEqualTo(done(PartState.RETRY_WAIT));
        assertThat(retried(item.id(), false)).isEqualTo(new OperatorResult.Done(PartState.RETRY_WAIT, false));
        assertThat(retried(scheduled, false)).isEqualTo(done(PartState.PENDING));
        assertThat(fixture.claim(10)).extracting(Claim.Item::id).containsExactly(item.id(), scheduled);
        assertThat(refusal(retried(item.id(), false))).isEqualTo("leased");
        assertThat(refusal(cancelled(item.id()))).isEqualTo("leased");
    }

    @Test
    @DisplayName("OUT-24 a part whose expires_at has passed is not brought back, and the refusal says what to do")
    void expired() {
        PartId id = fixture.enqueue("b", part("k").expiresAt(db.clock().now().plusSeconds(60)))
                .parts()
                .get(0)
                .id();
        db.clock().advance(Duration.ofSeconds(61));
        fixture.run("outbox-expiry");
        assertThat(fixture.state(id)).isEqualTo(PartState.EXPIRED);
        OperatorResult result = retried(id, true);
        assertThat(refusal(result)).isEqualTo("wrong_state");
        assertThat(((OperatorResult.Refused) result).detail()).contains("another batch id");
    }

    @Test
    @DisplayName(
            "OUT-24 cancel ends a waiting part and those behind it in its batch, frees its key, and may be said twice")
    void cancel() {
        fixture.enqueue("b", part("k"), part("k"), part("other"));
        fixture.enqueue("next", part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.settle(retry(item, Duration.ofHours(1)));
        assertThat(fixture.claim(10)).isEmpty();
        assertThat(cancelled(item.id())).isEqualTo(done(PartState.CANCELLED));
        assertThat(cancelled(item.id())).isEqualTo(new OperatorResult.Done(PartState.CANCELLED, false));
        assertThat(fixture.batchStates("b")).containsOnly(PartState.CANCELLED);
        List<PartView> parts = await(fixture.outbox.batch(DEFAULT_TENANT, "b"));
        assertThat(parts)
                .extracting(PartView::lastErrorClass)
                .containsExactly("cancelled_by_operator", "batch_predecessor_cancelled", "batch_predecessor_cancelled");
        assertThat(fixture.claimOne().batchId()).isEqualTo("next");
        assertThat(retried(item.id(), false)).isEqualTo(done(PartState.PENDING));
        assertThat(fixture.batchStates("b")).containsOnly(PartState.PENDING);
    }

    @Test
    @DisplayName("OUT-27 nothing is brought back of a day that is being removed; late evidence is still kept")
    void dayClosed() throws Exception {
        Claim.Item dead = ended(DeliveryPolicy.CREATE, true);
        fixture.enqueue("late", part("late"), part("late"));
        Claim.Item late = fixture.claimOne();
        fixture.start(late);
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
        assertThat(fixture.batchStates("late")).containsExactly(PartState.AMBIGUOUS, PartState.CANCELLED);
        try (RawTransaction removal = new RawTransaction(db)) {
            removal.run("SELECT pg_advisory_xact_lock(tailrace.period_lock('telegram_outbox',"
                    + " date_trunc('day', tailrace_now(), 'UTC')))");
            String before = fixture.everything();
            assertThat(refusal(retried(dead.id(), false))).isEqualTo("day_closed");
            assertThat(fixture.everything()).isEqualTo(before);
            assertThat(fixture.settle(delivered(late))).isInstanceOf(LeaseResult.Done.class);
            assertThat(fixture.batchStates("late")).containsExactly(PartState.DELIVERED, PartState.CANCELLED);
        }
        PartId behind =
                await(fixture.outbox.batch(DEFAULT_TENANT, "late")).get(1).id();
        assertThat(retried(behind, false)).isEqualTo(done(PartState.PENDING));
        assertThat(retried(dead.id(), false)).isEqualTo(done(PartState.PENDING));
    }

    @Test
    @DisplayName("OUT-24 an operator's pause outlives a provider's throttle and the sweep; resume leaves the throttle")
    void pauses() {
        fixture.enqueue("b", part("k"), part("k"));
        fixture.enqueue("x", part("x").bot("8"));
        Claim.Item item = fixture.claim(OutboxFixture.claimOf(1, "7")).get(0);
        await(fixture.outbox.operator().pause(DEFAULT_TENANT, "7", null));
        fixture.settle(new Settlement.Throttled(
                lease(item), Duration.ofSeconds(17), true, new Settlement.Failure("throttled", null, 429)));
        assertThat(fixture.claim(10)).extracting(Claim.Item::botId).containsExactly("8");
        db.clock().advance(Duration.ofSeconds(18));
        fixture.run("outbox-expiry");
        assertThat(fixture.claim(10)).isEmpty();
        assertThat(await(fixture.outbox.operator().pauses(DEFAULT_TENANT, null)))
                .containsExactly(new OutboxOperator.Pause("7", null, OutboxOperator.OPERATOR));
        await(fixture.outbox.operator().resume(DEFAULT_TENANT, "7"));
        Claim.Item again = fixture.claimOne();
        Instant until = db.clock().now().plusSeconds(3_600);
        await(fixture.outbox.operator().pause(DEFAULT_TENANT, "7", until));
        fixture.settle(new Settlement.Throttled(
                lease(again), Duration.ofSeconds(17), true, new Settlement.Failure("throttled", null, 429)));
        assertThat(await(fixture.outbox.operator().pauses(DEFAULT_TENANT, Set.of("7"))))
                .extracting(OutboxOperator.Pause::reason)
                .containsExactly(OutboxOperator.OPERATOR, OutboxOperator.THROTTLED);
        await(fixture.outbox.operator().resume(DEFAULT_TENANT, "7"));
        assertThat(fixture.claim(10)).isEmpty();
        db.clock().advance(Duration.ofSeconds(18));
        assertThat(fixture.claim(10)).hasSize(1);
    }

    @Test
    @DisplayName("OUT-12 starts, renewals, settlements, retry and cancel of another bot's part: it is not there")
    void otherBots() {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        Set<String> bots = Set.of("8");
        String before = fixture.everything();
        Outbox outbox = fixture.outbox;
        List<LeaseResult> results = List.of(
                await(outbox.start(DEFAULT_TENANT, bots, List.of(lease(item)))).get(0),
                await(outbox.renew(DEFAULT_TENANT, bots, List.of(lease(item)), Duration.ofMinutes(5)))
                        .get(0),
                await(outbox.settle(DEFAULT_TENANT, bots, List.of(deadLetter(item))))
                        .get(0));
        assertThat(results)
                .extracting(result -> ((LeaseResult.Refused) result).code())
                .containsExactly("lease_lost", "lease_lost", "not_found");
        assertThat(await(outbox.operator().retry(DEFAULT_TENANT, bots, item.id(), true)))
                .isEqualTo(OperatorResult.Refused.NOT_FOUND);
        assertThat(await(outbox.operator().cancel(DEFAULT_TENANT, bots, item.id())))
                .isEqualTo(OperatorResult.Refused.NOT_FOUND);
        assertThat(fixture.everything()).isEqualTo(before);
        fixture.settle(deadLetter(item));
        assertThat(await(outbox.settle(DEFAULT_TENANT, bots, List.of(deadLetter(item))))
                        .get(0))
                .extracting(result -> ((LeaseResult.Refused) result).code())
                .isEqualTo("not_found");
        assertThat(await(outbox.start(DEFAULT_TENANT, Set.of("7", "8"), List.of(lease(item))))
                        .get(0))
                .isInstanceOf(LeaseResult.Refused.class);
    }
}
