package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.deadLetter;
import static io.tailrace.outbox.OutboxFixture.delivered;
import static io.tailrace.outbox.OutboxFixture.lease;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

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

/** An operator's word while others speak about the same parts. */
class OutboxOperatorRacesIT {
    private static final Duration LONG = Duration.ofSeconds(60);

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

    @Test
    @DisplayName("OUT-24 retry waits for an enqueue that has its key, and both parts go out in id order")
    void waitsForTheKey() {
        fixture.enqueue("dead", part("k"));
        Claim.Item dead = fixture.claimOne();
        fixture.settle(deadLetter(dead));
        OutboxOperator operator = fixture.outbox.operator();
        try (RawTransaction enqueue = new RawTransaction(db)) {
            enqueue.enqueue("later", "k");
            Future<OperatorResult> retried = operator.retry(DEFAULT_TENANT, null, dead.id(), false);
            enqueue.awaitWaiter();
            assertThat(retried.isComplete()).isFalse();
            enqueue.commit();
            assertThat(await(retried)).isEqualTo(new OperatorResult.Done(PartState.PENDING, true));
        }
        Claim.Item first = fixture.claimOne();
        assertThat(first.id()).isEqualTo(dead.id());
        assertThat(fixture.claim(10)).isEmpty();
        fixture.deliver(first);
        assertThat(fixture.claimOne().batchId()).isEqualTo("later");
    }

    @Test
    @DisplayName("OUT-16 a worker that is heard of after the retry and before the next claim still resolves its part")
    void evidenceAfterRetry() {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.start(item);
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
        await(fixture.outbox.operator().retry(DEFAULT_TENANT, null, item.id(), true));
        assertThat(fixture.settle(delivered(item))).isInstanceOf(LeaseResult.Done.class);
        assertThat(fixture.state(item.id())).isEqualTo(PartState.DELIVERED);
        assertThat(fixture.claim(10)).isEmpty();
    }

    @Test
    @DisplayName(
            "OUT-24 retries, cancels, claims, settlements and enqueues at once: no failure, no part lost or held twice")
    void allAtOnce() {
        int batches = 30;
        for (int i = 0; i < batches; i++) {
            fixture.enqueue("b" + i, part("k" + i % 5), part("k" + (i + 1) % 5), part("k" + (i + 2) % 5));
        }
        List<PartId> ids = new ArrayList<>();
        for (int i = 0; i < batches; i++) {
            await(fixture.outbox.batch(DEFAULT_TENANT, "b" + i)).forEach(view -> ids.add(view.id()));
        }
        OutboxOperator operator = fixture.outbox.operator();
        for (int round = 0; round < 12; round++) {
            List<Claim.Item> items = fixture.claim(10);
            List<Future<?>> all = new ArrayList<>();
            boolean dead = round % 2 == 0;
            // Each by itself: bad ends of batches over several keys hand each other's heirs on, in any order.
            for (Claim.Item item : items) {
                Settlement settlement = dead ? deadLetter(item) : new Settlement.Release(lease(item));
                all.add(fixture.outbox.settle(DEFAULT_TENANT, List.of(settlement)));
            }
            for (int i = round; i < ids.size(); i += 4) {
                all.add(
                        i % 3 == 0
                                ? operator.cancel(DEFAULT_TENANT, null, ids.get(i))
                                : operator.retry(DEFAULT_TENANT, null, ids.get(i), true));
            }
            all.add(fixture.outbox.enqueue(
                    DEFAULT_TENANT,
                    OutboxFixture.batch("n" + round, part("k" + round % 5), part("k" + (round + 1) % 5))));
            await(Future.all(all), LONG);
            await(fixture.outbox.batch(DEFAULT_TENANT, "n" + round)).forEach(view -> ids.add(view.id()));
        }
        // Whatever ended is brought back, the first of each batch first; then everything goes out.
        ids.forEach(id -> await(operator.retry(DEFAULT_TENANT, null, id, true)));
        List<Claim.Item> items = fixture.claim(100);
        while (!items.isEmpty()) {
            assertThat(items).extracting(Claim.Item::orderingKey).doesNotHaveDuplicates();
            items.forEach(item -> assertThat(fixture.deliver(item)).isInstanceOf(LeaseResult.Done.class));
            items = fixture.claim(100);
        }
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isZero();
        assertThat(db.query(
                        "SELECT id, batch_id, part_index, state, cancelled_by, last_error_class FROM telegram_outbox"
                                + " WHERE state <> 'delivered' ORDER BY id"))
                .isEmpty();
    }
}
