package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.db.DatabaseFailure;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a claim writes, and how a lost answer is asked for again. */
class OutboxClaimRecordIT {
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

    private static Claim named(UUID claimId, int limit) {
        return new Claim("sender-1", claimId, limit, null, Claim.DEFAULT_LEASE, Duration.ZERO);
    }

    @ParameterizedTest(
            name = "OUT-13 a claim for {0} ms sets leased, attempt, token, owner, claimed_at and leased_until")
    @ValueSource(longs = {1_000, 90_000, 900_000})
    void record(long leaseMillis) {
        fixture.enqueue("b", part("k"));
        Instant before = db.clock().now();
        Claim.Item item = fixture.claim(
                        new Claim("sender-9", null, 1, null, Duration.ofMillis(leaseMillis), Duration.ZERO))
                .get(0);
        Instant after = db.clock().now();
        PartView view = fixture.view(item.id());
        assertThat(view.state()).isEqualTo(PartState.LEASED);
        assertThat(view.attemptCount()).isEqualTo(item.attempt()).isEqualTo(1);
        assertThat(view.leaseToken()).isEqualTo(item.leaseToken()).isEqualTo(1);
        assertThat(view.leaseOwner()).isEqualTo("sender-9");
        Instant claimedAt = Objects.requireNonNull(view.claimedAt());
        assertThat(claimedAt).isBetween(before, after);
        assertThat(view.leasedUntil()).isEqualTo(item.leasedUntil()).isEqualTo(claimedAt.plusMillis(leaseMillis));
        assertThat(fixture.attempts(item.id())).singleElement().satisfies(attempt -> {
            assertThat(attempt.attempt()).isEqualTo(1);
            assertThat(attempt.leaseToken()).isEqualTo(1);
            assertThat(attempt.workerId()).isEqualTo("sender-9");
            assertThat(attempt.claimedAt()).isEqualTo(claimedAt);
            assertThat(attempt.outcome()).isNull();
        });
    }

    @Test
    @DisplayName("OUT-13 the next claim of a part raises attempt and token and writes an attempt of its own")
    void second() {
        fixture.enqueue("b", part("k"));
        Claim.Item first = fixture.claimOne();
        fixture.settle(OutboxFixture.retry(first, Duration.ZERO));
        Claim.Item second = fixture.claimOne();
        assertThat(second.attempt()).isEqualTo(2);
        assertThat(second.leaseToken()).isEqualTo(2);
        assertThat(fixture.attempts(second.id()))
                .extracting(PartView.Attempt::outcome)
                .containsExactly("retry", null);
    }

    @Test
    @DisplayName("OUT-13 a claim whose attempt cannot be written leases nothing")
    void oneTransaction() {
        fixture.enqueue("b", part("k"));
        String before = fixture.everything();
        db.execute("ALTER TABLE telegram_outbox_attempts ADD CONSTRAINT no_claims CHECK (worker_id <> 'sender-1')");
        try {
            Throwable failure = awaitFailure(fixture.outbox.claim(DEFAULT_TENANT, OutboxFixture.claimOf(1)));
            assertThat(DatabaseFailure.is(failure, DatabaseFailure.Kind.CHECK_VIOLATION))
                    .isTrue();
            assertThat(fixture.everything()).isEqualTo(before);
        } finally {
            db.execute("ALTER TABLE telegram_outbox_attempts DROP CONSTRAINT no_claims");
        }
        assertThat(fixture.claimOne().attempt()).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-13 a repeated claim_id gets the same items while they are leased, and then new ones")
    void sameClaimId() {
        for (int i = 0; i < 5; i++) {
            fixture.enqueue("b" + i, part("k" + i));
        }
        UUID claimId = UUID.randomUUID();
        List<Claim.Item> first = fixture.claim(named(claimId, 2));
        String before = fixture.everything();
        assertThat(fixture.claim(named(claimId, 2))).isEqualTo(first);
        assertThat(fixture.everything()).isEqualTo(before);
        assertThat(fixture.claim(named(UUID.randomUUID(), 1)))
                .extracting(Claim.Item::batchId)
                .containsExactly("b2");
        fixture.deliver(first.get(0));
        assertThat(fixture.claim(named(claimId, 2))).containsExactly(first.get(1));
        fixture.deliver(first.get(1));
        assertThat(fixture.claim(named(claimId, 2)))
                .extracting(Claim.Item::batchId)
                .containsExactly("b3", "b4");
    }

    @Test
    @DisplayName("OUT-13 a claim_id whose leases have lapsed gets new items")
    void lapsedClaimId() {
        fixture.enqueue("b1", part("k1"));
        fixture.enqueue("b2", part("k2"));
        UUID claimId = UUID.randomUUID();
        assertThat(fixture.claim(named(claimId, 1)))
                .extracting(Claim.Item::batchId)
                .containsExactly("b1");
        db.clock().advance(Duration.ofSeconds(91));
        assertThat(fixture.claim(named(claimId, 1)))
                .extracting(Claim.Item::batchId)
                .containsExactly("b2");
    }

    @Test
    @DisplayName("OUT-13 the same claim_id twice at once is one claim; another tenant's is another")
    void sameClaimIdAtOnce() {
        for (int i = 0; i < 4; i++) {
            fixture.enqueue("b" + i, part("k" + i));
        }
        await(fixture.outbox.enqueue(OTHER_TENANT, batch("other", part("k"))));
        UUID claimId = UUID.randomUUID();
        List<Future<List<Claim.Item>>> both = List.of(
                fixture.outbox.claim(DEFAULT_TENANT, named(claimId, 2)),
                fixture.outbox.claim(DEFAULT_TENANT, named(claimId, 2)));
        assertThat(await(both.get(0))).hasSize(2).isEqualTo(await(both.get(1)));
        assertThat(fixture.claim(OTHER_TENANT, named(claimId, 2)))
                .extracting(Claim.Item::batchId)
                .containsExactly("other");
    }
}
