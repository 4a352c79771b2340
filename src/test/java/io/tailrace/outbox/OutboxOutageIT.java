package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The provider is away for a while, with a full outbox behind it; then it is back and takes only so much a second. */
class OutboxOutageIT {
    private static final int PARTS = 10_000;
    private static final int KEYS = 500;
    private static final int A_SECOND = 1_000;

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;
    private final Map<String, Integer> lastOfKey = new HashMap<>();
    private final Map<Long, Integer> deliveredInSecond = new HashMap<>();
    private int delivered;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        fixture = new OutboxFixture(db);
        for (int batch = 0; batch < PARTS / KEYS; batch++) {
            List<Future<EnqueueResult>> enqueues = new ArrayList<>();
            for (int key = 0; key < KEYS; key++) {
                // One batch a part: a batch would hold its later parts back behind the first that fails.
                enqueues.add(fixture.outbox.enqueue(
                        OutboxFixture.DEFAULT_TENANT,
                        OutboxFixture.batch(
                                batch + ":" + key, part("key-" + key).policy(DeliveryPolicy.CREATE))));
            }
            TestDatabase.await(Future.all(enqueues));
        }
    }

    @AfterEach
    void close() {
        fixture.close();
        db.clock().reset();
    }

    @ParameterizedTest(name = "OUT-19 an outage of {0} s with 10,000 parts pending: nothing dead-letters, order kept")
    @CsvSource({"70, 2", "1800, 60"})
    @DisplayName(
            "OUT-19 an outage of the provider: nothing dead-letters, order is kept, and it drains at the pace it asks for")
    void outage(int seconds, int step) {
        Instant back = db.clock().now().plusSeconds(seconds);
        int rounds = 0;
        while (delivered < PARTS) {
            Instant now = db.clock().now();
            boolean away = now.isBefore(back);
            int worked = 0;
            List<Claim.Item> items = fixture.claim(256);
            while (!items.isEmpty()) {
                worked += items.size();
                send(items, away, now);
                items = fixture.claim(256);
            }
            db.clock().advance(away ? Duration.ofSeconds(step) : Duration.ofSeconds(1));
            assertThat(++rounds)
                    .as("rounds; delivered " + delivered + ", worked " + worked)
                    .isLessThan(2_000);
        }

        assertThat(db.number("SELECT count(*) FROM telegram_outbox WHERE state = 'delivered'"))
                .isEqualTo(PARTS);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isZero();
        assertThat(deliveredInSecond.values())
                .allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(A_SECOND));
        assertThat(lastOfKey.values()).containsOnly(PARTS / KEYS - 1);
    }

    private void send(List<Claim.Item> items, boolean away, Instant now) {
        TestDatabase.await(fixture.outbox.start(
                OutboxFixture.DEFAULT_TENANT,
                items.stream().map(OutboxFixture::lease).toList()));
        List<Settlement> settlements = new ArrayList<>();
        for (Claim.Item item : items) {
            if (away) {
                settlements.add(new Settlement.Retry(
                        OutboxFixture.lease(item),
                        null,
                        null,
                        null,
                        new Settlement.Failure("transient", "bad gateway", 502)));
            } else if (deliveredInSecond.merge(now.getEpochSecond(), 1, Integer::sum) > A_SECOND) {
                deliveredInSecond.merge(now.getEpochSecond(), -1, Integer::sum);
                settlements.add(new Settlement.Throttled(
                        OutboxFixture.lease(item),
                        Duration.ofSeconds(1),
                        true,
                        new Settlement.Failure("throttled", "429", 429)));
            } else {
                int number = Integer.parseInt(
                        item.batchId().substring(0, item.batchId().indexOf(':')));
                int before = lastOfKey.getOrDefault(item.orderingKey(), -1);
                assertThat(number).as(item.orderingKey()).isEqualTo(before + 1);
                lastOfKey.put(item.orderingKey(), number);
                delivered++;
                settlements.add(OutboxFixture.delivered(item));
            }
        }
        TestDatabase.await(fixture.outbox.settle(OutboxFixture.DEFAULT_TENANT, settlements));
    }
}
