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
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Appends over HTTP to instances that are processes of their own. */
class AppendsIT {
    private static final int WRITERS = 8;
    private static final int EACH = 250;

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    @AfterEach
    void empty() {
        db.clock().reset();
        db.execute("DELETE FROM activities; DELETE FROM conversations");
    }

    private static JsonObject message(String key) {
        return new JsonObject()
                .put("type", "message")
                .put("sender", "user-1")
                .put("text", "Hello")
                .put("idempotency_key", key);
    }

    private static String conversation(Api api) {
        return api.insist("/v1/conversations", new JsonObject()).body().getString("id");
    }

    @Test
    @DisplayName(
            "ACT-1 ACT-6 one of two instances killed under appends: every acknowledged one is stored once, seq has no gap")
    void killedUnderAppends() throws Exception {
        ServiceProcess first = services.launch(ServiceProcess.on(db.config()));
        ServiceProcess second = services.start(db.config());
        first.awaitReady();
        String key = TestKeys.all(db);
        String[] urls = {first.url(), second.url()};
        Api api = new Api(key, 1, urls);
        List<String> conversations =
                Stream.generate(() -> conversation(api)).limit(4).toList();
        Map<String, JsonObject> acknowledged = new ConcurrentHashMap<>();
        AtomicInteger refused = new AtomicInteger();
        try (Crowd crowd = new Crowd()) {
            for (int w = 0; w < WRITERS; w++) {
                int writer = w;
                crowd.add(() -> {
                    Api own = new Api(key, writer % 2, urls);
                    for (int i = 0; i < EACH; i++) {
                        String path = "/v1/conversations/" + conversations.get((writer + i) % 4) + "/activities";
                        Api.Answer answer = own.insist(path, message(writer + ":" + i));
                        if (answer.status() == 201 || answer.status() == 200) {
                            acknowledged.put(answer.body().getString("id"), answer.body());
                        } else {
                            refused.incrementAndGet();
                        }
                    }
                    return null;
                });
            }
            Awaitility.await()
                    .atMost(Duration.ofMinutes(2))
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> {
                        crowd.check();
                        return acknowledged.size() > WRITERS * EACH / 3;
                    });
            first.kill9();
            crowd.join();
        }
        assertThat(refused.get()).isZero();
        assertThat(acknowledged).hasSize(WRITERS * EACH);
        assertThat(db.query("SELECT id::text, seq, idempotency_key AS key FROM activities"))
                .hasSize(WRITERS * EACH)
                .allSatisfy(row -> {
                    JsonObject answer = acknowledged.getOrDefault((String) row.get("id"), new JsonObject());
                    assertThat(answer.getLong("seq")).isEqualTo(row.get("seq"));
                    assertThat(answer.getString("idempotency_key")).isEqualTo(row.get("key"));
                });
        assertThat(db.number("""
                        SELECT count(*) FROM conversations c, LATERAL (
                            SELECT count(*) AS n, max(a.seq) AS most, count(DISTINCT a.idempotency_key) AS keys
                              FROM activities a WHERE a.conversation_id = c.id) s
                         WHERE s.n <> c.last_seq OR s.most <> s.n OR s.keys <> s.n""")).isZero();
    }

    @Test
    @DisplayName(
            "ACT-18 an append whose month is missing is 503 partition_missing, and the service makes the month at once")
    void missingMonth() throws IOException {
        ServiceProcess service = services.start(db.config());
        Api api = new Api(TestKeys.all(db), 0, service.url());
        String path = "/v1/conversations/" + conversation(api) + "/activities";
        // Past all that was made ahead; the worker itself comes round in an hour.
        db.clock().advance(Duration.ofDays(200));
        Api.Answer missing = api.post(path, message("k"));
        assertThat(missing.status()).isEqualTo(503);
        assertThat(missing.body().getString("code")).isEqualTo("partition_missing");
        Awaitility.await()
                .atMost(TestDatabase.PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> api.post(path, message("k")).status() == 201);
        assertThat(db.number("SELECT seq FROM activities")).isEqualTo(1);
        assertThat(UUID.fromString(db.value(String.class, "SELECT id::text FROM activities"))
                        .version())
                .isEqualTo(7);
    }
}
