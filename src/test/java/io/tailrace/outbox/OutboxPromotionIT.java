package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.claimOf;
import static io.tailrace.outbox.OutboxFixture.deadLetter;
import static io.tailrace.outbox.OutboxFixture.lease;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.outbox.OutboxFixture.retry;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.db.GroupCommit;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No part is left queued with nobody in front of it: whoever takes the place of one hands it on. */
class OutboxPromotionIT {
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

    /** A scheduled part in front of a leased one, met by a claim once it is due. */
    private Claim.Item leasedBehindOneThatBecameDue() {
        fixture.enqueue("first", part("k").availableAt(db.clock().now().plusSeconds(10)));
        fixture.enqueue("second", part("k"));
        Claim.Item second = fixture.claimOne();
        assertThat(second.batchId()).isEqualTo("second");
        db.clock().advance(Duration.ofSeconds(11));
        assertThat(fixture.claim(10)).isEmpty();
        return second;
    }

    @Test
    @DisplayName("OUT-11 a part that became due behind a leased one is next when that one goes into retry_wait")
    void retryHandsTheKeyOn() {
        Claim.Item second = leasedBehindOneThatBecameDue();
        fixture.settle(retry(second, Duration.ofSeconds(5)));
        assertThat(fixture.claimOne().batchId()).isEqualTo("first");
    }

    @Test
    @DisplayName("OUT-11 a part that became due behind a leased one is next when that one is released")
    void releaseHandsTheKeyOn() {
        Claim.Item second = leasedBehindOneThatBecameDue();
        fixture.settle(new Settlement.Release(lease(second)));
        Claim.Item first = fixture.claimOne();
        assertThat(first.batchId()).isEqualTo("first");
        fixture.deliver(first);
        assertThat(fixture.claimOne().batchId()).isEqualTo("second");
    }

    @Test
    @DisplayName("OUT-11 a part that became due behind a leased one is next when that lease lapses")
    void rescueHandsTheKeyOn() {
        leasedBehindOneThatBecameDue();
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
        assertThat(fixture.claimOne().batchId()).isEqualTo("first");
    }

    @Test
    @DisplayName("OUT-11 a claim that judges a part to be behind another while that one ends does not strand it")
    void claimBesideSettlement() {
        fixture.enqueue("first", part("k").availableAt(db.clock().now().plusSeconds(10)));
        fixture.enqueue("second", part("k"));
        Claim.Item second = fixture.claimOne();
        fixture.start(second);
        db.clock().advance(Duration.ofSeconds(11));
        // The settlement is stopped in the statement that ends the second part, whose snapshot it keeps.
        try (RawTransaction bystander = new RawTransaction(db)) {
            bystander.run(
                    "SELECT FROM telegram_outbox WHERE id = ? FOR UPDATE",
                    second.id().id());
            Future<List<LeaseResult>> settled =
                    fixture.outbox.settle(DEFAULT_TENANT, List.of(OutboxFixture.delivered(second)));
            bystander.awaitWaiter();
            assertThat(fixture.claim(10)).isEmpty();
            bystander.commit();
            await(settled);
        }
        assertThat(fixture.claimOne().batchId()).isEqualTo("first");
    }

    @Test
    @DisplayName("OUT-11 a part enqueued behind one that ends meanwhile is seen by whoever ends it")
    void enqueueBesideSettlement() {
        fixture.enqueue("first", part("k"));
        Claim.Item first = fixture.claimOne();
        fixture.start(first);
        Future<List<LeaseResult>> settled;
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.enqueue("second", "k");
            settled = fixture.outbox.settle(DEFAULT_TENANT, List.of(OutboxFixture.delivered(first)));
            caller.awaitWaiterOr(settled::isComplete);
            caller.commit();
        }
        await(settled);
        assertThat(fixture.claimOne().batchId()).isEqualTo("second");
    }

    @Test
    @DisplayName("OUT-11 a part added to a batch whose last part ends meanwhile is seen by whoever ends it")
    void extensionBesideSettlement() {
        fixture.enqueue("b", part("k"));
        fixture.enqueue("behind", part("k"));
        Claim.Item first = fixture.claimOne();
        fixture.start(first);
        Future<List<LeaseResult>> settled;
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.run(
                    "SELECT tailrace.enqueue(tailrace.default_tenant(), ?::jsonb)",
                    RawTransaction.json("b", "k", "k2"));
            settled = fixture.outbox.settle(DEFAULT_TENANT, List.of(OutboxFixture.delivered(first)));
            caller.awaitWaiterOr(settled::isComplete);
            caller.commit();
        }
        await(settled);
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactly("behind", "b");
    }

    @Test
    @DisplayName("OUT-11 a part enqueued behind one that a claim expires meanwhile is not stranded")
    void enqueueBesideExpiringClaim() {
        fixture.enqueue("old", part("k").expiresAt(db.clock().now().plusSeconds(10)));
        db.clock().advance(Duration.ofSeconds(11));
        Future<List<Claim.Item>> claimed;
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.enqueue("new", "k");
            claimed = fixture.outbox.claim(DEFAULT_TENANT, claimOf(1));
            caller.awaitWaiterOr(claimed::isComplete);
            caller.commit();
        }
        await(claimed);
        assertThat(fixture.claimOne().batchId()).isEqualTo("new");
    }

    @Test
    @DisplayName("OUT-12 an expired head that cannot be ended now keeps nobody else from being claimed")
    void pinnedExpiredHeadHoldsNobodyElse() {
        fixture.enqueue("old", part("k").expiresAt(db.clock().now().plusSeconds(10)));
        fixture.enqueue("other", part("other"));
        db.clock().advance(Duration.ofSeconds(11));
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.enqueue("new", "k");
            assertThat(fixture.claimOne().batchId()).isEqualTo("other");
            caller.commit();
        }
        assertThat(fixture.claimOne().batchId()).isEqualTo("new");
        assertThat(fixture.batchStates("old")).containsExactly(PartState.EXPIRED);
    }

    @Test
    @DisplayName("OUT-4 a part that is stored as cancelled holds nobody of the same flush")
    void cancelledOnArrivalHoldsNobody() {
        fixture.enqueue("bad", part("k0"));
        fixture.settle(deadLetter(fixture.claimOne()));
        List<EnqueueResult> results = together(batch("bad", part("k0"), part("k")), batch("good", part("k")));
        assertThat(((EnqueueResult.Stored) results.get(0)).parts().get(1).state())
                .isEqualTo(PartState.CANCELLED);
        assertThat(fixture.claimOne().batchId()).isEqualTo("good");
    }

    @Test
    @DisplayName("OUT-16 late evidence also brings back a part that is being added to its batch meanwhile")
    void addedBesideLateEvidence() {
        fixture.enqueue("b", part("k"));
        Claim.Item first = fixture.claimOne();
        fixture.start(first);
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
        Future<List<LeaseResult>> late;
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.run(
                    "SELECT tailrace.enqueue(tailrace.default_tenant(), ?::jsonb)",
                    RawTransaction.json("b", "k", "k2"));
            late = fixture.outbox.settle(DEFAULT_TENANT, List.of(OutboxFixture.delivered(first)));
            caller.awaitWaiterOr(late::isComplete);
            caller.commit();
        }
        await(late);
        assertThat(fixture.batchStates("b")).containsExactly(PartState.DELIVERED, PartState.PENDING);
        assertThat(fixture.claimOne().partIndex()).isEqualTo(1);
    }

    /** One flush of exactly these batches. */
    private List<EnqueueResult> together(Batch... batches) {
        OutboxEnqueues enqueues = new OutboxEnqueues(db.database(), 7);
        List<OutboxEnqueues.Entry> entries = new ArrayList<>();
        for (Batch batch : batches) {
            entries.add(new OutboxEnqueues.Entry(DEFAULT_TENANT, batch));
        }
        List<EnqueueResult> results = new ArrayList<>();
        await(enqueues.together(entries))
                .forEach(outcome -> results.add(((GroupCommit.Outcome.Done<EnqueueResult>) outcome).result()));
        return results;
    }
}
