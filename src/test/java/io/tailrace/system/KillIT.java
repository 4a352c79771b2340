package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.testkit.TestKeys;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** F1: the service is killed at random while writers write and senders hold leases. */
class KillIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    private static final int WRITERS = 8;
    private static final int ROUNDS = Faults.rounds(3, 50);

    /** Batch id to part id, of what was answered with 200 or 201. */
    private final Map<String, String> acknowledged = new ConcurrentHashMap<>();

    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong leased = new AtomicLong();

    @Test
    @DisplayName("OUT-6 F1 kill -9 under load: every acknowledged enqueue is there once, leases are rescued")
    void killed() throws Exception {
        Random random = new Random(Faults.SEED);
        ServiceProcess service = services.start(db.config());
        String key = TestKeys.all(db);
        try (Crowd crowd = new Crowd()) {
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                crowd.add(() -> write(crowd, new Api(key, 0, service.url()), writer));
            }
            crowd.add(() -> hold(crowd, new Api(key, 0, service.url())));
            for (int round = 1; round <= ROUNDS; round++) {
                long target = acknowledged.size() + 100L + random.nextInt(400);
                Awaitility.await()
                        .atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> acknowledged.size() >= target);
                crowd.check();
                service.kill9();
                service.restart();
            }
            crowd.stopAndJoin();
        }
        rescued();
        Map<String, String> stored =
                db.query("SELECT batch_id, count(*)::text AS n FROM telegram_outbox GROUP BY batch_id").stream()
                        .collect(Collectors.toMap(row -> (String) row.get("batch_id"), row -> (String) row.get("n")));
        System.out.printf(
                "%d kills: %d batches acknowledged, %d stored, %d sent, %d leases taken, seed %d%n",
                ROUNDS, acknowledged.size(), stored.size(), sent.get(), leased.get(), Faults.SEED);
        assertThat(stored.keySet()).containsAll(acknowledged.keySet());
        assertThat(stored.values()).containsOnly("1");
        assertThat(acknowledged.values()).doesNotHaveDuplicates();
    }

    /** A batch is said again until it is acknowledged, as a producer must. */
    private Void write(Crowd crowd, Api api, int writer) {
        for (int n = 0; !crowd.stopped(); n++) {
            String batchId = "w" + writer + ":" + n;
            sent.incrementAndGet();
            JsonObject part = Api.part("k" + writer, "target_idempotent", new JsonObject().put("n", n));
            Api.Answer answer = api.insist("/v1/outbox/batches", Api.batch(batchId, List.of(part)));
            assertThat(answer.status()).as("%s", answer.body()).isIn(200, 201);
            acknowledged.put(batchId, Api.objects(answer, "parts").get(0).getString("id"));
        }
        return null;
    }

    /** Takes leases, starts them, and is never heard of again. */
    private Void hold(Crowd crowd, Api api) {
        while (!crowd.stopped()) {
            String claimId = UUID.randomUUID().toString();
            Api.Answer answer = api.insist("/v1/outbox/claims", Api.claim("holder", claimId, 3, 1, 1));
            List<JsonObject> items = Api.objects(answer, "items");
            leased.addAndGet(items.size());
            if (!items.isEmpty()) {
                api.insist(
                        "/v1/outbox/starts",
                        Api.items(items.stream().map(Api::lease).toList()));
            }
        }
        return null;
    }

    /** A start rescues what has lapsed; no other instance runs, and nobody settled anything. */
    private void rescued() throws IOException {
        assertThat(leased.get()).isPositive();
        try (Upkeep upkeep = new Upkeep(db)) {
            Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        upkeep.rescue();
                        return db.number("SELECT count(*) FROM telegram_outbox_inflight WHERE state = 'leased'") == 0;
                    });
        }
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_attempts WHERE finished_at IS NULL"))
                .isZero();
    }
}
