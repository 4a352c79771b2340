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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What each outcome of a lease does to its part and to the rest of the batch. */
class OutboxOutcomeIT {
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

    private Claim.Item started(OutboxFixture.Builder... parts) {
        fixture.enqueue("b", parts);
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        return item;
    }

    @Test
    @DisplayName("OUT-18 delivered keeps message ids, receipt and when it was confirmed, and ends the attempt")
    void deliveredKeeps() {
        Claim.Item item = started(part("k"));
        Instant before = db.clock().now();
        fixture.settle(new Settlement.Delivered(
                lease(item), List.of("5", "a\"b\\c,{}", ""), "{\"n\": 1.50}", "messages", 200));
        PartView view = fixture.view(item.id());
        assertThat(view.state()).isEqualTo(PartState.DELIVERED);
        assertThat(view.messageIds()).containsExactly("5", "a\"b\\c,{}", "");
        assertThat(view.receiptJson()).isEqualTo("{\"n\": 1.50}");
        assertThat(view.responseKind()).isEqualTo("messages");
        assertThat(view.confirmedAt()).isBetween(before, db.clock().now());
        assertThat(fixture.attempts(item.id())).singleElement().satisfies(attempt -> {
            assertThat(attempt.outcome()).isEqualTo("delivered");
            assertThat(attempt.httpStatus()).isEqualTo(200);
            assertThat(attempt.finishedAt()).isNotNull();
            assertThat(attempt.responseReceivedAt()).isNotNull();
            assertThat(attempt.latencyMs()).isBetween(0L, 60_000L);
        });
    }

    @Test
    @DisplayName("OUT-18 a retry waits until the given instant")
    void retryAt() {
        Claim.Item item = started(part("k"));
        Instant at = db.clock().now().plusSeconds(77);
        fixture.settle(new Settlement.Retry(
                lease(item), null, at, null, new Settlement.Failure("transient", "bad gateway", 502)));
        PartView view = fixture.view(item.id());
        assertThat(view.state()).isEqualTo(PartState.RETRY_WAIT);
        assertThat(view.availableAt()).isEqualTo(at);
        assertThat(view.lastErrorClass()).isEqualTo("transient");
        assertThat(view.lastError()).isEqualTo("bad gateway");
        assertThat(view.leasedUntil()).isNull();
        db.clock().advance(Duration.ofSeconds(76));
        assertThat(fixture.claim(1)).isEmpty();
        db.clock().advance(Duration.ofSeconds(1));
        assertThat(fixture.claimOne().attempt()).isEqualTo(2);
    }

    @Test
    @DisplayName("OUT-18 a retry may replace the payload, which is what goes out from then on")
    void retryReplacesPayload() {
        Claim.Item item = started(part("k").payload("{\"text\": \"long\"}"));
        fixture.settle(new Settlement.Retry(
                lease(item), Duration.ZERO, null, "{\"text\": \"short\"}", Settlement.Failure.NONE));
        Claim.Item second = fixture.claimOne();
        assertThat(second.payloadJson()).isEqualTo("{\"text\": \"short\"}");
        fixture.settle(OutboxFixture.retry(second, Duration.ZERO));
        Claim.Item third = fixture.claimOne();
        assertThat(third.payloadJson()).isEqualTo("{\"text\": \"short\"}");
        assertThat(fixture.view(item.id()).payloadJson()).isEqualTo("{\"text\": \"short\"}");
        assertThat(db.value(String.class, "SELECT original_payload::text FROM telegram_outbox"))
                .isEqualTo("{\"text\": \"long\"}");
    }

    @Test
    @DisplayName(
            "OUT-18 a release hands the part back unsent: at once claimable, no attempt spent, the token still raised")
    void release() {
        fixture.enqueue("b", part("k"));
        Claim.Item first = fixture.claimOne();
        fixture.settle(new Settlement.Release(lease(first)));
        assertThat(fixture.view(first.id()).attemptCount()).isZero();
        assertThat(fixture.state(first.id())).isEqualTo(PartState.PENDING);
        Claim.Item second = fixture.claimOne();
        assertThat(second.attempt()).isEqualTo(1);
        assertThat(second.leaseToken()).isEqualTo(2);
    }

    @Test
    @DisplayName("OUT-18 a call carries many settlements; each is answered for itself, in order")
    void manyInOneCall() {
        for (int i = 0; i < 6; i++) {
            fixture.enqueue("b" + i, part("k" + i));
        }
        List<Claim.Item> items = fixture.claim(6);
        items.subList(0, 4).forEach(fixture::start);
        PartId unknown = new PartId(999_999_999, items.get(0).id().createdAt());
        List<LeaseResult> results = await(fixture.outbox.settle(
                DEFAULT_TENANT,
                List.of(
                        delivered(items.get(5)),
                        OutboxFixture.retry(items.get(4), Duration.ofSeconds(9)),
                        new Settlement.Release(new Lease(items.get(3).id(), 77)),
                        OutboxFixture.ambiguous(items.get(2)),
                        new Settlement.Release(new Lease(unknown, 1)),
                        delivered(items.get(1)),
                        delivered(items.get(1)),
                        OutboxFixture.deadLetter(items.get(0)))));
        assertThat(results)
                .extracting(OutboxOutcomeIT::inShort)
                .containsExactly(
                        "not_started",
                        "retry_wait",
                        "lease_lost",
                        "ambiguous",
                        "not_found",
                        "delivered",
                        "lease_lost",
                        "dead_letter");
        assertThat(fixture.state(items.get(5).id())).isEqualTo(PartState.LEASED);
        assertThat(fixture.state(items.get(3).id())).isEqualTo(PartState.LEASED);
        assertThat(fixture.state(items.get(1).id())).isEqualTo(PartState.DELIVERED);
    }

    private static String inShort(LeaseResult result) {
        if (result instanceof LeaseResult.Done done) {
            return done.state().wire();
        }
        return ((LeaseResult.Refused) result).code();
    }

    @ParameterizedTest(name = "OUT-20 a part that ended as {0} cancels the later parts of its batch, with the reason")
    @EnumSource(
            value = PartState.class,
            names = {"AMBIGUOUS", "DEAD_LETTER", "EXPIRED"})
    void cancelsSuccessors(PartState bad) {
        Instant expiry = db.clock().now().plusSeconds(10);
        fixture.enqueue(
                "b",
                part("k0"),
                part("k1").expiresAt(expiry),
                part("k2"),
                part("k3").availableAt(OutboxFixture.SOME_DAY));
        fixture.enqueue("behind", part("k2"));
        fixture.deliver(fixture.claimOne());
        if (bad == PartState.EXPIRED) {
            db.clock().advance(Duration.ofSeconds(11));
            fixture.run("outbox-expiry");
        } else {
            Claim.Item item = fixture.claimOne();
            fixture.start(item);
            fixture.settle(bad == PartState.AMBIGUOUS ? OutboxFixture.ambiguous(item) : OutboxFixture.deadLetter(item));
        }
        assertThat(fixture.batchStates("b"))
                .containsExactly(PartState.DELIVERED, bad, PartState.CANCELLED, PartState.CANCELLED);
        List<PartView> parts = await(fixture.outbox.batch(DEFAULT_TENANT, "b"));
        for (PartView part : parts.subList(2, 4)) {
            assertThat(part.lastErrorClass()).isEqualTo("batch_predecessor_" + bad.wire());
            assertThat(part.lastError()).contains(bad.wire());
        }
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactly("behind");
    }
}
