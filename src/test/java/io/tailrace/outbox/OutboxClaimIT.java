package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.claimOf;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.outbox.OutboxFixture.retry;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxClaimIT {
    private static final UUID OTHER_TENANT = UUID.fromString("10000000-0000-0000-0000-00000000000a");

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
    @DisplayName("OUT-11 a key's parts go out one at a time, in id order")
    void fifo() {
        for (int i = 0; i < 4; i++) {
            fixture.enqueue("b" + i, part("k"));
        }
        List<String> order = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<Claim.Item> items = fixture.claim(10);
            assertThat(items).hasSize(1);
            assertThat(fixture.claim(10)).isEmpty();
            order.add(items.get(0).batchId());
            fixture.deliver(items.get(0));
        }
        assertThat(order).containsExactly("b0", "b1", "b2", "b3");
    }

    @Test
    @DisplayName("OUT-11 while a part is leased nothing of its key is claimed, an older part that became due included")
    void leasedHolds() {
        fixture.enqueue("older", part("k").availableAt(db.clock().now().plusSeconds(10)));
        fixture.enqueue("younger", part("k"));
        Claim.Item younger = fixture.claimOne();
        assertThat(younger.batchId()).isEqualTo("younger");
        db.clock().advance(Duration.ofSeconds(11));
        assertThat(fixture.claim(10)).isEmpty();
        fixture.deliver(younger);
        assertThat(fixture.claimOne().batchId()).isEqualTo("older");
    }

    @Test
    @DisplayName("OUT-11 a part scheduled for later holds nobody until it is due, and then takes its turn by id")
    void scheduled() {
        fixture.enqueue("later", part("k").availableAt(db.clock().now().plusSeconds(10)));
        fixture.enqueue("b1", part("k"));
        fixture.enqueue("b2", part("k"));
        Claim.Item first = fixture.claimOne();
        assertThat(first.batchId()).isEqualTo("b1");
        db.clock().advance(Duration.ofSeconds(11));
        fixture.deliver(first);
        Claim.Item second = fixture.claimOne();
        assertThat(second.batchId()).isEqualTo("later");
        fixture.deliver(second);
        assertThat(fixture.claimOne().batchId()).isEqualTo("b2");
    }

    @Test
    @DisplayName("OUT-11 a part in retry_wait holds its key until it has gone out")
    void retryWaitHolds() {
        fixture.enqueue("b1", part("k"));
        fixture.settle(retry(fixture.claimOne(), Duration.ofSeconds(30)));
        fixture.enqueue("b2", part("k"));
        assertThat(fixture.claim(10)).isEmpty();
        db.clock().advance(Duration.ofSeconds(31));
        Claim.Item again = fixture.claimOne();
        assertThat(again.batchId()).isEqualTo("b1");
        fixture.deliver(again);
        assertThat(fixture.claimOne().batchId()).isEqualTo("b2");
    }

    @Test
    @DisplayName(
            "OUT-11 a part waits for every lower part of its batch, on whatever key, and holds its own key meanwhile")
    void batchPredecessors() {
        fixture.enqueue("b", part("k1"), part("k2"), part("k3"));
        fixture.enqueue("c", part("k3"));
        Claim.Item first = fixture.claimOne();
        assertThat(fixture.claim(10)).isEmpty();
        fixture.settle(retry(first, Duration.ofSeconds(1)));
        assertThat(fixture.claim(10)).isEmpty();
        db.clock().advance(Duration.ofSeconds(2));
        for (int i = 0; i < 3; i++) {
            List<Claim.Item> items = fixture.claim(10);
            assertThat(items).singleElement().extracting(Claim.Item::partIndex).isEqualTo(i);
            fixture.deliver(items.get(0));
        }
        assertThat(fixture.claimOne().batchId()).isEqualTo("c");
    }

    @Test
    @DisplayName("OUT-11 a part that comes to the head of its key still waits for its batch's part on another key")
    void headBehindItsBatch() {
        fixture.enqueue("a", part("k2"));
        fixture.enqueue("b", part("k1"), part("k2"));
        List<Claim.Item> both = fixture.claim(10);
        assertThat(both).extracting(Claim.Item::batchId).containsExactly("a", "b");
        fixture.deliver(both.get(0));
        assertThat(fixture.claim(10)).isEmpty();
        fixture.deliver(both.get(1));
        assertThat(fixture.claimOne().partIndex()).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-11 a scheduled part holds the later parts of its batch, though nobody else")
    void scheduledPredecessor() {
        fixture.enqueue("b", part("k1").availableAt(db.clock().now().plusSeconds(10)), part("k1"), part("k2"));
        fixture.enqueue("c", part("k3"));
        Claim.Item other = fixture.claimOne();
        assertThat(other.batchId()).isEqualTo("c");
        assertThat(fixture.claim(10)).isEmpty();
        db.clock().advance(Duration.ofSeconds(11));
        for (int i = 0; i < 3; i++) {
            Claim.Item item = fixture.claimOne();
            assertThat(item.partIndex()).isEqualTo(i);
            fixture.deliver(item);
        }
    }

    @Test
    @DisplayName("OUT-11 a head whose time has passed is expired by the claim that meets it, which takes the next one")
    void expiredHead() {
        fixture.enqueue("old", part("k").expiresAt(db.clock().now().plusSeconds(10)), part("k2"));
        fixture.enqueue("next", part("k"));
        fixture.enqueue("next2", part("k2"));
        db.clock().advance(Duration.ofSeconds(11));
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactlyInAnyOrder("next", "next2");
        assertThat(fixture.batchStates("old")).containsExactly(PartState.EXPIRED, PartState.CANCELLED);
        assertThat(fixture.view(fixture.enqueue("old", part("k").expiresAt(expiryOf("old")), part("k2"))
                                .parts()
                                .get(0)
                                .id())
                        .attemptCount())
                .isZero();
        assertThat(fixture.counted("expired")).isEqualTo(1);
    }

    private Instant expiryOf(String batchId) {
        Instant expiry =
                await(fixture.outbox.batch(DEFAULT_TENANT, batchId)).get(0).expiresAt();
        return Objects.requireNonNull(expiry);
    }

    @Test
    @DisplayName("OUT-11 a key is a tenant's, a bot's and its own name's: each of the three alone makes another")
    void keys() {
        fixture.enqueue("b1", part("k"));
        fixture.enqueue("b2", part("k").bot("8"));
        fixture.enqueue("b3", part("k2"));
        await(fixture.outbox.enqueue(OTHER_TENANT, batch("b4", part("k"))));
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactly("b1", "b2", "b3");
        assertThat(fixture.claim(OTHER_TENANT, claimOf(10)))
                .extracting(Claim.Item::batchId)
                .containsExactly("b4");
    }

    @Test
    @DisplayName(
            "OUT-12 heads are taken by priority, the highest first, and then by id; priority never breaks a key's order")
    void priorities() {
        fixture.enqueue("low", part("k1").priority(-1));
        fixture.enqueue("usual", part("k2"));
        fixture.enqueue("usual behind", part("k2").priority(9));
        fixture.enqueue("high", part("k3").priority(5));
        fixture.enqueue("high too", part("k4").priority(5));
        assertThat(fixture.claim(10))
                .extracting(Claim.Item::batchId)
                .containsExactly("high", "high too", "usual", "low");
        fixture.enqueue("p1", part("p1"));
        fixture.enqueue("p2", part("p2").priority(1));
        assertThat(fixture.claimOne().batchId()).isEqualTo("p2");
    }

    @Test
    @DisplayName("OUT-12 a claim takes up to 256 at once, and exactly as many as it asked for when they are there")
    void limits() {
        OutboxFixture.Builder[] one = {part("x")};
        List<Future<EnqueueResult>> sent = IntStream.range(0, 300)
                .mapToObj(i -> fixture.outbox.enqueue(DEFAULT_TENANT, batch("b" + i, part("k" + i))))
                .toList();
        sent.forEach(TestDatabase::await);
        fixture.enqueue("last", one);
        assertThat(fixture.claim(7)).hasSize(7);
        assertThat(fixture.claim(256)).hasSize(256);
        assertThat(fixture.claim(256)).hasSize(301 - 7 - 256);
    }

    @Test
    @DisplayName("OUT-12 a worker of certain bots never sees another bot's part nor spends an attempt on it")
    void botFilter() {
        fixture.enqueue("b7", part("k").bot("7").priority(9));
        fixture.enqueue("b8", part("k").bot("8"));
        fixture.enqueue("b9", part("k").bot("9"));
        assertThat(fixture.claim(claimOf(10, "8", "9", "unknown", "8")))
                .extracting(Claim.Item::batchId)
                .containsExactly("b8", "b9");
        assertThat(fixture.claim(claimOf(10, "8"))).isEmpty();
        assertThat(fixture.claim(claimOf(10, new String[] {"none"}))).isEmpty();
        assertThat(db.query("SELECT attempt_count, lease_token FROM telegram_outbox_inflight WHERE bot_id = '7'"))
                .containsExactly(Map.of("attempt_count", 0, "lease_token", 0L));
    }

    @Test
    @DisplayName("OUT-12 only the key's tenant claims, starts, renews, settles and sees a part")
    void tenants() {
        fixture.enqueue("b", part("k"));
        assertThat(fixture.claim(OTHER_TENANT, claimOf(10))).isEmpty();
        Claim.Item item = fixture.claimOne();
        Lease lease = OutboxFixture.lease(item);
        String before = fixture.everything();
        Outbox outbox = fixture.outbox;
        assertThat(await(outbox.start(OTHER_TENANT, List.of(lease)))).allMatch(LeaseResult.Refused.class::isInstance);
        assertThat(await(outbox.renew(OTHER_TENANT, List.of(lease), Duration.ofMinutes(5))))
                .allMatch(LeaseResult.Refused.class::isInstance);
        assertThat(await(outbox.settle(OTHER_TENANT, List.of(new Settlement.Release(lease)))))
                .allMatch(LeaseResult.Refused.class::isInstance);
        assertThat(await(outbox.item(OTHER_TENANT, item.id(), true))).isEmpty();
        assertThat(await(outbox.attempts(OTHER_TENANT, item.id()))).isEmpty();
        assertThat(await(outbox.batch(OTHER_TENANT, "b"))).isEmpty();
        assertThat(await(outbox.depth(OTHER_TENANT)).values()).containsOnly(0L);
        assertThat(fixture.everything()).isEqualTo(before);
    }

    @Test
    @DisplayName("OUT-12 a head that somebody else has locked is passed over, not waited for")
    void skipsLocked() {
        fixture.enqueue("b1", part("k1"));
        fixture.enqueue("b2", part("k2"));
        try (RawTransaction other = new RawTransaction(db)) {
            other.run("SELECT FROM telegram_outbox_inflight ORDER BY id LIMIT 1 FOR NO KEY UPDATE");
            assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactly("b2");
        }
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactly("b1");
    }

    @Test
    @DisplayName("OUT-12 eight claimers on two instances never hold one part twice, and each key keeps its order")
    void manyClaimers() {
        int parts = 400;
        int keys = 25;
        List<Future<EnqueueResult>> sent = IntStream.range(0, parts)
                .mapToObj(i -> fixture.outbox.enqueue(DEFAULT_TENANT, batch("b" + i, part("k" + i % keys))))
                .toList();
        sent.forEach(TestDatabase::await);
        OutboxFixture another = new OutboxFixture(db);
        Set<PartId> seen = new HashSet<>();
        Map<String, Long> lastOfKey = new HashMap<>();
        try {
            while (seen.size() < parts) {
                List<Future<List<Claim.Item>>> claims = IntStream.range(0, 8)
                        .mapToObj(i -> (i % 2 == 0 ? fixture : another).outbox.claim(DEFAULT_TENANT, claimOf(5)))
                        .toList();
                List<Claim.Item> held = new ArrayList<>();
                claims.forEach(claim -> held.addAll(await(claim)));
                assertThat(held).isNotEmpty();
                assertThat(held).extracting(Claim.Item::orderingKey).doesNotHaveDuplicates();
                for (Claim.Item item : held) {
                    assertThat(seen.add(item.id())).isTrue();
                    Long last = lastOfKey.put(item.orderingKey(), item.id().id());
                    assertThat(last == null || last < item.id().id()).isTrue();
                }
                await(another.outbox.start(
                        DEFAULT_TENANT, held.stream().map(OutboxFixture::lease).toList()));
                assertThat(await(fixture.outbox.settle(
                                DEFAULT_TENANT,
                                held.stream()
                                        .<Settlement>map(OutboxFixture::delivered)
                                        .toList())))
                        .allMatch(LeaseResult.Done.class::isInstance);
            }
        } finally {
            another.close();
        }
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_attempts")).isEqualTo(parts);
    }
}
