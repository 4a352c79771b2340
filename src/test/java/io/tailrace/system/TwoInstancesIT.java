package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.testkit.TestKeys;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two instances, eight claimers; one instance is killed half way, and half of its claimers die with it. */
class TwoInstancesIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    private static final int PARTS = 10_000;
    private static final int PRODUCERS = 4;
    private static final int CLAIMERS = 8;
    /** Short for those whose instance will be killed: what they held is soon to be had again. */
    private static final int SHORT_LEASE = 4;

    private static final int LONG_LEASE = 60;

    private static final String DELIVERED = "SELECT count(*) FROM telegram_outbox WHERE state = 'delivered'";
    private static final String BACKWARDS = """
            SELECT count(*) FROM (
                SELECT confirmed_at, lag(confirmed_at) OVER (PARTITION BY ordering_key ORDER BY id) AS before
                  FROM telegram_outbox) x
             WHERE x.before > x.confirmed_at""";
    private static final String CLAIMED_TOO_EARLY = """
            SELECT count(*) FROM (
                SELECT max(o.confirmed_at) OVER (PARTITION BY o.ordering_key ORDER BY o.id
                           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
                       (SELECT min(a.claimed_at) FROM telegram_outbox_attempts a WHERE a.outbox_id = o.id) AS claimed_at
                  FROM telegram_outbox o) x
             WHERE x.before > x.claimed_at""";
    private static final String IN_TWO_HANDS = """
            SELECT count(*) FROM (
                SELECT a.claimed_at, lag(a.finished_at) OVER (PARTITION BY o.ordering_key ORDER BY a.claimed_at) AS before
                  FROM telegram_outbox_attempts a JOIN telegram_outbox o ON o.id = a.outbox_id) x
             WHERE x.before > x.claimed_at""";
    private static final String NOT_AS_SENT = """
            SELECT count(*) FROM (
                SELECT (original_payload->>'n')::integer AS n,
                       row_number() OVER (PARTITION BY ordering_key ORDER BY id) - 1 AS place FROM telegram_outbox) x
             WHERE x.n <> x.place""";

    private final Set<String> delivered = ConcurrentHashMap.newKeySet();
    private final AtomicInteger twice = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();
    private final AtomicBoolean killed = new AtomicBoolean();
    /** From half way on, a doomed claimer keeps what it has leased until its instance is dead: that must be rescued. */
    private final AtomicBoolean half = new AtomicBoolean();

    private final CountDownLatch inHand = new CountDownLatch(1);
    private final CountDownLatch dead = new CountDownLatch(1);

    @AfterEach
    void empty() {
        db.execute(
                "TRUNCATE telegram_outbox, telegram_outbox_inflight, telegram_outbox_attempts, telegram_outbox_keys");
    }

    @ParameterizedTest(
            name = "OUT-12 10,000 parts over {0} keys, one of two instances killed: none lost, doubled, out of order")
    @ValueSource(ints = {10, 1_000})
    @DisplayName("OUT-12 10,000 parts, eight claimers, one of two instances killed half way")
    void killedHalfWay(int keys) throws Exception {
        ServiceProcess first = services.launch(ServiceProcess.on(db.config()));
        ServiceProcess second = services.start(db.config());
        first.awaitReady();
        String key = TestKeys.all(db);
        String[] urls = {first.url(), second.url()};
        long began = System.nanoTime();
        try (Crowd crowd = new Crowd();
                Upkeep upkeep = new Upkeep(db)) {
            for (int p = 0; p < PRODUCERS; p++) {
                int producer = p;
                crowd.add(() -> produce(new Api(key, producer % 2, urls), keys, producer));
            }
            for (int c = 0; c < CLAIMERS; c++) {
                int claimer = c;
                crowd.add(() -> send(crowd, new Api(key, claimer % 2, urls), claimer, keys < 100 ? 10 : 100));
            }
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(200))
                    .until(() -> {
                        crowd.check();
                        long done = db.number(DELIVERED);
                        half.set(done >= PARTS / 2);
                        if (inHand.getCount() == 0 && killed.compareAndSet(false, true)) {
                            first.kill9();
                            dead.countDown();
                        }
                        upkeep.rescue();
                        return done == PARTS;
                    });
            crowd.stopAndJoin();
        }
        System.out.printf(
                "%d parts over %d keys in %d ms, %d dropped by dead claimers, %d attempts%n",
                PARTS,
                keys,
                (System.nanoTime() - began) / 1_000_000,
                dropped.get(),
                db.number("SELECT count(*) FROM telegram_outbox_attempts"));
        assertThat(db.number("SELECT count(DISTINCT (batch_id, part_index)) FROM telegram_outbox"))
                .isEqualTo(PARTS);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(PARTS);
        assertThat(db.number(NOT_AS_SENT)).as("ids not in the order of sending").isZero();
        assertThat(db.number(BACKWARDS)).as("delivered out of order").isZero();
        assertThat(db.number(CLAIMED_TOO_EARLY)).as("claimed out of order").isZero();
        assertThat(db.number(IN_TWO_HANDS)).as("in two hands").isZero();
        assertThat(twice.get()).as("acknowledged as delivered twice").isZero();
        assertThat(dropped.get()).as("leases that had to be rescued").isPositive();
    }

    /** Its share of the keys, each key's batches one after another. */
    private Void produce(Api api, int keys, int producer) {
        int perKey = PARTS / keys;
        int size = Math.min(20, perKey);
        for (int from = 0; from < perKey; from += size) {
            for (int key = producer; key < keys; key += PRODUCERS) {
                List<JsonObject> parts = new ArrayList<>();
                for (int n = from; n < from + size; n++) {
                    parts.add(Api.part(
                            "k" + key,
                            "target_idempotent",
                            new JsonObject().put("n", n).put("text", "x".repeat(150))));
                }
                Api.Answer answer = api.insist("/v1/outbox/batches", Api.batch("b:" + key + ":" + from, parts));
                assertThat(answer.status()).as("%s", answer.body()).isIn(200, 201);
            }
        }
        return null;
    }

    private Void send(Crowd crowd, Api api, int claimer, int limit) throws InterruptedException {
        boolean doomed = claimer % 4 == 0;
        int lease = claimer % 2 == 0 ? SHORT_LEASE : LONG_LEASE;
        while (!crowd.stopped()) {
            String claimId = UUID.randomUUID().toString();
            List<JsonObject> items = Api.objects(
                    api.insist("/v1/outbox/claims", Api.claim("claimer-" + claimer, claimId, limit, lease, 1)),
                    "items");
            if (items.isEmpty()) {
                continue;
            }
            List<JsonObject> leases = items.stream().map(Api::lease).toList();
            try {
                if (doomed && api.at() == 0) {
                    if (half.get()) {
                        inHand.countDown();
                        dead.await();
                    }
                    api.post("/v1/outbox/starts", Api.items(leases));
                    settled(api.post("/v1/outbox/settlements", delivered(leases)));
                } else {
                    api.insist("/v1/outbox/starts", Api.items(leases));
                    settled(api.insist("/v1/outbox/settlements", delivered(leases)));
                }
            } catch (IOException e) {
                dropped.addAndGet(items.size());
                api.turnAway();
            }
        }
        return null;
    }

    private static JsonObject delivered(List<JsonObject> leases) {
        return Api.items(leases.stream()
                .map(lease -> lease.copy().put("outcome", "delivered").put("message_ids", List.of("5")))
                .toList());
    }

    private void settled(Api.Answer answer) {
        for (JsonObject result : Api.objects(answer, "results")) {
            boolean first = result.getBoolean("ok") && !result.getBoolean("replayed");
            if (first && !delivered.add(result.getString("id"))) {
                twice.incrementAndGet();
            }
        }
    }
}
