package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.delivered;
import static io.tailrace.outbox.OutboxFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxCycleIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeEach
    void open() {
        db.execute("TRUNCATE telegram_outbox, telegram_outbox_inflight, telegram_outbox_attempts");
        fixture = new OutboxFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
        db.clock().reset();
    }

    @Test
    @DisplayName("OUT-13 a claim leases, counts the attempt, raises the token and writes the attempt")
    void cycle() {
        EnqueueResult.Stored stored = fixture.enqueue("b1", part("k1"), part("k1"), part("k2"));
        assertThat(stored.storedParts()).isEqualTo(3);
        assertThat(stored.parts()).extracting(EnqueueResult.StoredPart::state).containsOnly(PartState.PENDING);

        List<Claim.Item> items = fixture.claim(10);
        assertThat(items).hasSize(1);
        Claim.Item first = items.get(0);
        assertThat(first.id()).isEqualTo(stored.parts().get(0).id());
        assertThat(first.leaseToken()).isEqualTo(1);
        assertThat(first.attempt()).isEqualTo(1);
        assertThat(fixture.claim(10)).isEmpty();

        assertThat(fixture.settle(delivered(first)))
                .isInstanceOfSatisfying(LeaseResult.Refused.class, refused -> assertThat(refused.code())
                        .isEqualTo("not_started"));
        assertThat(fixture.start(first)).isInstanceOf(LeaseResult.Done.class);
        assertThat(fixture.settle(delivered(first)))
                .isInstanceOfSatisfying(
                        LeaseResult.Done.class, done -> assertThat(done.state()).isEqualTo(PartState.DELIVERED));

        PartView view = fixture.view(first.id());
        assertThat(view.messageIds()).containsExactly("5");
        assertThat(view.receiptJson()).isEqualTo("{\"ok\": true}");
        assertThat(TestDatabase.await(fixture.outbox.attempts(OutboxFixture.DEFAULT_TENANT, first.id())))
                .hasValueSatisfying(attempts -> {
                    assertThat(attempts).hasSize(1);
                    assertThat(attempts.get(0).outcome()).isEqualTo("delivered");
                    assertThat(attempts.get(0).requestStartedAt()).isNotNull();
                });
        Claim.Item second = fixture.claimOne();
        assertThat(second.partIndex()).isEqualTo(1);
        fixture.deliver(second);
        Claim.Item third = fixture.claimOne();
        assertThat(third.orderingKey()).isEqualTo("k2");
        fixture.deliver(third);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isZero();
    }

    @Test
    @DisplayName("OUT-18 retry, release, ambiguous and dead_letter each end a lease in their own way")
    void outcomes() {
        fixture.enqueue("r", part("k"));
        Claim.Item item = fixture.claimOne();
        assertThat(fixture.settle(new Settlement.Release(OutboxFixture.lease(item))))
                .isInstanceOf(LeaseResult.Done.class);
        assertThat(fixture.view(item.id()).attemptCount()).isZero();
        item = fixture.claimOne();
        assertThat(item.leaseToken()).isEqualTo(2);
        fixture.settle(OutboxFixture.retry(item, Duration.ofSeconds(30)));
        assertThat(fixture.claim(1)).isEmpty();
        db.clock().advance(Duration.ofSeconds(31));
        item = fixture.claimOne();
        assertThat(item.attempt()).isEqualTo(2);
        fixture.start(item);
        fixture.settle(OutboxFixture.ambiguous(item));
        assertThat(fixture.state(item.id())).isEqualTo(PartState.AMBIGUOUS);
    }

    @Test
    @DisplayName("OUT-20 a part that ends other than delivered cancels the later parts of its batch, with the reason")
    void cancels() {
        EnqueueResult.Stored stored = fixture.enqueue("c", part("k1"), part("k2"), part("k3"));
        fixture.enqueue("d", part("k2"));
        Claim.Item item = fixture.claimOne();
        fixture.settle(OutboxFixture.deadLetter(item));
        for (int i = 1; i < 3; i++) {
            PartView view = fixture.view(stored.parts().get(i).id());
            assertThat(view.state()).isEqualTo(PartState.CANCELLED);
            assertThat(view.lastErrorClass()).isEqualTo("batch_predecessor_dead_letter");
        }
        assertThat(fixture.claimOne().batchId()).isEqualTo("d");
    }

    @Test
    @DisplayName("OUT-16 late evidence resolves what a lapse made ambiguous and brings back what it had cancelled")
    void lateEvidence() {
        EnqueueResult.Stored stored = fixture.enqueue("l", part("k1"), part("k1"));
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
        assertThat(fixture.state(item.id())).isEqualTo(PartState.AMBIGUOUS);
        assertThat(fixture.state(stored.parts().get(1).id())).isEqualTo(PartState.CANCELLED);
        assertThat(fixture.settle(delivered(item))).isInstanceOfSatisfying(LeaseResult.Done.class, done -> {
            assertThat(done.state()).isEqualTo(PartState.DELIVERED);
            assertThat(done.replayed()).isFalse();
        });
        assertThat(fixture.settle(delivered(item)))
                .isInstanceOfSatisfying(LeaseResult.Done.class, done -> assertThat(done.replayed())
                        .isTrue());
        assertThat(fixture.claimOne().id()).isEqualTo(stored.parts().get(1).id());
    }
}
