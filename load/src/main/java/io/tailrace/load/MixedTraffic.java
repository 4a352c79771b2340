package io.tailrace.load;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Senders, workers and operators that do everything the API offers, at two instances, by chance. */
final class MixedTraffic {
    private static final List<String> POLICIES = List.of("create", "target_idempotent", "ephemeral", "financial");
    private static final List<String> BOTS = List.of("7", "8", "9");
    private static final int KEYS = 1_000;
    /** One claim of so many is forgotten; its parts hold their keys until the rescue, and whatever waits for those. */
    private static final int FORGETFUL = 300;

    private static final int BLOBS = 20;

    record Answer(int status, String body) {
        boolean ok() {
            return status < 300;
        }

        JsonObject json() {
            return new JsonObject(body);
        }
    }

    private final HttpClient http = HttpClient.newHttpClient();
    private final List<String> urls;
    private final String key;
    private final MixedLedger ledger;
    volatile boolean enqueueing = true;
    /** Near the end nobody misbehaves any more, so that what is left can be drained. */
    volatile boolean calm;

    volatile boolean ended;

    MixedTraffic(List<String> urls, String key, MixedLedger ledger) {
        this.urls = urls;
        this.key = key;
        this.ledger = ledger;
    }

    static boolean chance(int percent) {
        return ThreadLocalRandom.current().nextInt(100) < percent;
    }

    private static int upTo(int most) {
        return ThreadLocalRandom.current().nextInt(most) + 1;
    }

    private static <T> T oneOf(List<T> list) {
        return list.get(ThreadLocalRandom.current().nextInt(list.size()));
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    Answer call(String method, String path, String type, byte[] body) {
        return call(ThreadLocalRandom.current().nextInt(urls.size()), method, path, type, body);
    }

    private Answer call(int instance, String method, String path, String type, byte[] body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(urls.get(instance) + path))
                .header("authorization", "Bearer " + key)
                .header("content-type", type)
                .timeout(Duration.ofSeconds(60))
                .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            String code = answer.statusCode() < 400 ? "" : " " + new JsonObject(answer.body()).getString("code");
            ledger.count("http " + answer.statusCode() + code);
            if (answer.statusCode() == 500) {
                ledger.broken(method + " " + path + ": " + answer.body());
            }
            return new Answer(answer.statusCode(), answer.body());
        } catch (IOException e) {
            ledger.count("http broken: " + e);
            return new Answer(599, "{}");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Answer(599, "{}");
        }
    }

    private Answer post(String path, JsonObject body) {
        return call("POST", path, "application/json", body.encode().getBytes(StandardCharsets.UTF_8));
    }

    // --- senders

    void send() {
        while (!ended) {
            if (!enqueueing) {
                pause(50);
                continue;
            }
            JsonObject batch = batch(UUID.randomUUID().toString(), upTo(6));
            if (chance(5)) {
                sendLines();
            } else if (chance(10)) {
                race(batch);
            } else {
                enqueue(batch);
            }
            if (chance(3)) {
                // The same again with another part behind it.
                batch.getJsonArray("parts").add(part(batch.getJsonArray("parts").getJsonObject(0).getString("bot_id")));
                enqueue(batch);
            }
            pause(upTo(60));
        }
    }

    private void enqueue(JsonObject batch) {
        Answer answer = post("/v1/outbox/batches", batch);
        if (answer.ok()) {
            ledger.stored(answer.json());
        }
    }

    /** The same batch at both instances at the same time. */
    private void race(JsonObject batch) {
        Thread other = new Thread(() -> enqueue(batch));
        other.start();
        enqueue(batch);
        try {
            other.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void sendLines() {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 20; i++) {
            lines.append(batch(UUID.randomUUID().toString(), upTo(3)).encode()).append('\n');
        }
        Answer answer =
                call("POST", "/v1/outbox/batches", "application/x-ndjson", lines.toString().getBytes(StandardCharsets.UTF_8));
        if (answer.ok()) {
            answer.body().lines().map(JsonObject::new).filter(line -> line.containsKey("parts")).forEach(ledger::stored);
        }
    }

    private JsonObject batch(String id, int parts) {
        String bot = oneOf(BOTS);
        JsonArray list = new JsonArray();
        for (int i = 0; i < parts; i++) {
            list.add(part(chance(10) ? oneOf(BOTS) : bot));
        }
        return new JsonObject().put("batch_id", id).put("parts", list);
    }

    /** Few keys, and in no order, so that the locks of batches cross. */
    private JsonObject part(String bot) {
        int key = ThreadLocalRandom.current().nextInt(KEYS);
        JsonObject part = new JsonObject()
                .put("bot_id", bot)
                .put("chat_id", key)
                .put("ordering_key", "chat:" + key)
                .put("method_kind", "sendMessage")
                .put("payload", new JsonObject().put("text", "x".repeat(upTo(300))))
                .put("delivery_policy", oneOf(POLICIES));
        if (chance(5)) {
            part.put("available_at", Instant.now().plusMillis(upTo(4_000)).toString());
        }
        if (chance(5)) {
            part.put("expires_at", Instant.now().plusMillis(5_000 + upTo(20_000)).toString());
        }
        if (chance(5)) {
            part.put("priority", upTo(5));
        }
        if (chance(5)) {
            byte[] bytes = blob(ThreadLocalRandom.current().nextInt(BLOBS));
            if (chance(20)) {
                call("PUT", "/v1/outbox/blobs/" + sha256(bytes), "image/jpeg", bytes);
            }
            part.put("blob", new JsonObject().put("sha256", sha256(bytes)).put("media_type", "image/jpeg"));
        }
        return part;
    }

    void sendBlobs() {
        for (int i = 0; i < BLOBS; i++) {
            call("PUT", "/v1/outbox/blobs/" + sha256(blob(i)), "image/jpeg", blob(i));
        }
    }

    private static byte[] blob(int number) {
        byte[] bytes = new byte[20_000];
        new java.util.Random(number).nextBytes(bytes);
        return bytes;
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    // --- workers

    void work(int worker) {
        while (!ended) {
            boolean slow = !calm && chance(1);
            JsonObject claim = new JsonObject()
                    .put("worker_id", "mixed-" + worker)
                    .put("limit", calm ? 50 : upTo(50))
                    .put("lease_seconds", calm ? 30 : slow ? 1 : 3 + upTo(4))
                    .put("wait_seconds", 1);
            if (chance(20)) {
                claim.put("bot_ids", new JsonArray().add(oneOf(BOTS)));
            }
            if (chance(30)) {
                claim.put("claim_id", UUID.randomUUID().toString());
            }
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(claim.getInteger("lease_seconds"));
            Answer answer = post("/v1/outbox/claims", claim);
            if (claim.containsKey("claim_id") && chance(20)) {
                // The answer was lost.
                answer = post("/v1/outbox/claims", claim);
            }
            if (!answer.ok()) {
                continue;
            }
            JsonArray items = answer.json().getJsonArray("items");
            ledger.count("claimed", items.size());
            if (items.isEmpty()) {
                continue;
            }
            if (!calm && upTo(FORGETFUL) == 1) {
                ledger.count("forgotten", items.size());
            } else {
                handle(items, slow, deadline);
            }
        }
    }

    private static JsonObject lease(JsonObject item) {
        return new JsonObject().put("id", item.getString("id")).put("lease_token", item.getLong("lease_token"));
    }

    private void handle(JsonArray items, boolean slow, long deadline) {
        JsonArray leases = new JsonArray();
        JsonArray starts = new JsonArray();
        JsonArray settlements = new JsonArray();
        for (int i = 0; i < items.size(); i++) {
            JsonObject item = items.getJsonObject(i);
            boolean start = calm || chance(95);
            leases.add(lease(item));
            if (start) {
                starts.add(lease(item));
            }
            settlements.add(outcome(lease(item), start || slow));
        }
        if (!slow && chance(10)) {
            results("renewal", post("/v1/outbox/renewals", new JsonObject().put("items", leases).put("lease_seconds", 5)));
        }
        if (!starts.isEmpty()) {
            results("start", post("/v1/outbox/starts", new JsonObject().put("items", starts)));
        }
        if (slow) {
            // Its leases lapse; what it says then is late evidence, or too late.
            pause(1_000 + upTo(3_000));
        }
        JsonObject body = new JsonObject().put("items", settlements);
        results("settlement", post("/v1/outbox/settlements", body));
        if (chance(5)) {
            results("settlement again", post("/v1/outbox/settlements", body));
        }
        if (System.nanoTime() > deadline) {
            // Meant or not: another may have been sent on the key meanwhile.
            for (int i = 0; i < items.size(); i++) {
                ledger.outOfTurn(items.getJsonObject(i).getString("batch_id"));
            }
        }
    }

    private JsonObject outcome(JsonObject item, boolean started) {
        int one = ThreadLocalRandom.current().nextInt(100);
        if (calm || (started && one < 80)) {
            return item.put("outcome", "delivered")
                    .put("message_ids", new JsonArray().add(String.valueOf(one)))
                    .put("receipt", new JsonObject().put("ok", true));
        } else if (one < 88) {
            item.put("outcome", "retry").put("delay_ms", upTo(1_500)).put("error_class", "transient");
            return chance(20) ? item.put("payload", new JsonObject().put("text", "another")) : item;
        } else if (one < 90) {
            item.put("outcome", "retry").put("http_status", 429).put("retry_after_seconds", 1);
            return chance(10) ? item.put("throttle_scope", "bot") : item;
        } else if (one < 94) {
            return item.put("outcome", "release");
        } else if (one < 97 && started) {
            return item.put("outcome", "ambiguous").put("error_class", "timeout");
        }
        return item.put("outcome", "dead_letter").put("error_class", "refused");
    }

    private void results(String verb, Answer answer) {
        if (!answer.ok()) {
            return;
        }
        JsonArray results = answer.json().getJsonArray("results");
        for (int i = 0; i < results.size(); i++) {
            JsonObject result = results.getJsonObject(i);
            ledger.count(verb + " " + (result.getBoolean("ok") ? "ok" + (result.getBoolean("replayed", false) ? ", replayed" : "") : result.getString("code")));
        }
    }

    // --- operators

    void operate() {
        int round = 0;
        while (!ended) {
            pause(150);
            if (calm) {
                continue;
            }
            String state = oneOf(List.of("dead_letter", "ambiguous", "cancelled", "expired", "pending", "retry_wait"));
            Answer list = call("GET", "/v1/outbox/items?limit=20&state=" + state, "application/json", new byte[0]);
            if (list.ok() && !list.json().getJsonArray("items").isEmpty()) {
                operate(oneOf(list.json().getJsonArray("items").stream().map(JsonObject.class::cast).toList()), state);
            }
            round++;
            if (round % 20 == 0) {
                look();
            }
            if (round % 30 == 0) {
                String bot = oneOf(BOTS);
                JsonObject until = new JsonObject();
                post("/v1/outbox/bots/" + bot + "/pause", chance(50) ? until : until.put("until", Instant.now().plusSeconds(1).toString()));
                pause(upTo(1_000));
                post("/v1/outbox/bots/" + bot + "/resume", new JsonObject());
            }
            if (round % 80 == 0) {
                redrive();
            }
        }
    }

    private void operate(JsonObject item, String state) {
        ledger.outOfTurn(item.getString("batch_id"));
        boolean cancel = state.equals("pending") || (state.equals("retry_wait") && chance(50));
        JsonObject body = new JsonObject();
        if (!cancel && chance(50)) {
            body.put("accept_duplicate_risk", true);
        }
        Answer done = cancel
                ? call("POST", "/v1/outbox/items/" + item.getString("id") + "/cancel", "application/json", new byte[0])
                : post("/v1/outbox/items/" + item.getString("id") + "/retry", body);
        ledger.count((cancel ? "operator's cancel " : "operator's retry ") + done.status());
    }

    private void look() {
        call("GET", "/v1/outbox/stats", "application/json", new byte[0]);
        call("GET", "/v1/outbox/blocked?limit=50", "application/json", new byte[0]);
        call("GET", "/v1/outbox/blobs/" + sha256(blob(1)), "application/json", new byte[0]);
    }

    /** Bot 9 is the only one that is redriven: which batches are touched is not said one by one. */
    private void redrive() {
        Answer ordered = post("/v1/outbox/redrives", new JsonObject()
                .put("filter", new JsonObject().put("state", oneOf(List.of("dead_letter", "ambiguous", "expired"))).put("bot_id", "9"))
                .put("rate_per_second", 50)
                .put("accept_duplicate_risk", chance(50)));
        if (ordered.ok()) {
            ledger.count("redriven, as matched", ordered.json().getInteger("matched"));
        }
    }
}
