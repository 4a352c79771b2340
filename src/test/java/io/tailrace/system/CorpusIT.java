package io.tailrace.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.BotApiCorpus;
import io.tailrace.testkit.FakeTelegram;
import io.tailrace.testkit.ServiceProcess;
import io.tailrace.testkit.ServiceProcesses;
import io.tailrace.testkit.TelegramAnswer;
import io.tailrace.testkit.TelegramScript;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.testkit.TestKeys;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calls as bots send them, through the service to a Telegram that refuses, hangs and loses its answers. */
class CorpusIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    @RegisterExtension
    final ServiceProcesses services = new ServiceProcesses();

    private static final int SENDERS = 6;
    private static final int TROUBLE_PERCENT = 25;

    private final List<JsonObject> parts = BotApiCorpus.parts();

    @Test
    @DisplayName(
            "OUT-18 the corpus of Bot API calls arrives as it was enqueued, in order per chat, doubled only where allowed")
    void corpus() throws Exception {
        ServiceProcess service = services.start(db.config());
        Api api = new Api(TestKeys.all(db), 0, service.url());
        TelegramScript trouble = TelegramScript.seeded(
                Faults.SEED,
                TROUBLE_PERCENT,
                TelegramAnswer.retryAfter(1),
                TelegramAnswer.hang(),
                new TelegramAnswer.Hang(true),
                TelegramAnswer.resetBefore(),
                TelegramAnswer.resetAfter(),
                TelegramAnswer.badGateway());
        assertThat(parts).hasSizeGreaterThanOrEqualTo(60);
        enqueue(api);
        try (FakeTelegram telegram = FakeTelegram.start(db.vertx(), trouble);
                Crowd crowd = new Crowd()) {
            String key = TestKeys.all(db);
            for (int s = 0; s < SENDERS; s++) {
                Sender sender = new Sender(new Api(key, 0, service.url()), telegram.url());
                String worker = "sender-" + s;
                crowd.add(() -> {
                    while (!crowd.stopped()) {
                        sender.round(worker);
                    }
                    return null;
                });
            }
            Awaitility.await()
                    .atMost(Duration.ofSeconds(90))
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        crowd.check();
                        return db.number("SELECT count(*) FROM telegram_outbox_inflight") == 0;
                    });
            crowd.stopAndJoin();
            check(telegram.calls());
        }
    }

    private void enqueue(Api api) throws IOException {
        for (int n = 0; n < parts.size(); n++) {
            JsonObject blob = parts.get(n).getJsonObject("blob");
            if (blob != null) {
                String sha256 = blob.getString("sha256");
                Api.Answer put = api.once(
                        "PUT", "/v1/outbox/blobs/" + sha256, BotApiCorpus.blob(sha256), blob.getString("media_type"));
                assertThat(put.status()).as("%s", put.body()).isIn(200, 201);
            }
            Api.Answer stored = api.post("/v1/outbox/batches", Api.batch("corpus:" + n, List.of(parts.get(n))));
            assertThat(stored.status()).as("%s", stored.body()).isEqualTo(201);
        }
    }

    private void check(List<FakeTelegram.Call> calls) {
        Map<String, Integer> partOfShape = new HashMap<>();
        for (int n = 0; n < parts.size(); n++) {
            JsonObject part = parts.get(n);
            partOfShape.put(shape(part.getString("method_kind"), part.getJsonObject("payload")), n);
        }
        Map<Integer, List<FakeTelegram.Call>> byPart = new TreeMap<>();
        Map<String, List<Integer>> byKey = new TreeMap<>();
        for (FakeTelegram.Call call : calls) {
            Integer n = partOfShape.get(shape(call.method(), call.payload()));
            if (n == null) {
                throw new AssertionError("a call that nobody enqueued: " + call);
            }
            same(parts.get(n), call);
            List<FakeTelegram.Call> ofPart = byPart.computeIfAbsent(n, first -> new ArrayList<>());
            List<Integer> ofKey =
                    byKey.computeIfAbsent(parts.get(n).getString("ordering_key"), first -> new ArrayList<>());
            if (ofKey.isEmpty() || !ofKey.get(ofKey.size() - 1).equals(n)) {
                ofKey.add(n);
            }
            ofPart.add(call);
        }
        // Also the calls that came to nothing: no part is tried before the one in front of it is done with.
        byKey.forEach((key, order) -> assertThat(order).as(key).isSorted().doesNotHaveDuplicates());
        assertThat(byPart).hasSameSizeAs(parts);
        Map<String, Integer> ends = new TreeMap<>();
        byPart.forEach((n, ofPart) -> ends.merge(end(n, ofPart), 1, Integer::sum));
        System.out.printf("%d parts, %d calls: %s, seed %d%n", parts.size(), calls.size(), ends, Faults.SEED);
        assertThat(ends.keySet()).contains("delivered", "ambiguous");
    }

    private static String end(int n, List<FakeTelegram.Call> calls) {
        Map<String, ? extends Object> row = db.query(
                        "SELECT state, delivery_policy FROM telegram_outbox WHERE batch_id = ?", "corpus:" + n)
                .get(0);
        String state = String.valueOf(row.get("state"));
        boolean mayRepeat = List.of("target_idempotent", "ephemeral").contains(row.get("delivery_policy"));
        long carriedOut = calls.stream().filter(FakeTelegram.Call::carriedOut).count();
        assertThat(state).as("part %d", n).isIn(mayRepeat ? List.of("delivered") : List.of("delivered", "ambiguous"));
        if (state.equals("delivered")) {
            assertThat(carriedOut).as("part %d", n).isPositive();
        }
        if (!mayRepeat) {
            assertThat(carriedOut).as("part %d was doubled", n).isLessThanOrEqualTo(1);
        }
        return carriedOut > 1 ? state + ", repeated" : state;
    }

    private static void same(JsonObject part, FakeTelegram.Call call) {
        JsonObject payload = part.getJsonObject("payload");
        JsonObject blob = part.getJsonObject("blob");
        assertThat(call.token()).isEqualTo(part.getString("bot_id") + ":secret");
        assertThat(call.payload()).isEqualTo(blob == null ? payload : Sender.fields(payload));
        if (blob != null) {
            assertThat(call.files()).containsEntry("file", blob.getString("sha256"));
        }
    }

    /** No two parts of the corpus are alike in it. */
    private static String shape(String method, JsonObject payload) {
        return method + payload.fieldNames().stream().sorted().toList();
    }
}
