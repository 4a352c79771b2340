package io.tailrace.system;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client of one or more instances, as a producer or sender has one: it keeps to an instance while that answers and goes
 * to the next when it does not. One thread each.
 */
final class Api {
    /** An answer; a body that is no JSON object is empty. */
    record Answer(int status, JsonObject body) {}

    /** Far beyond a restart. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final HttpClient HTTP = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();

    private final String key;
    private final List<String> urls;
    private int at;

    Api(String key, int preferred, String... urls) {
        this.key = key;
        this.urls = List.of(urls);
        this.at = preferred;
    }

    /** The instance that the next request goes to. */
    int at() {
        return at;
    }

    /** From now on the next one. */
    void turnAway() {
        at = (at + 1) % urls.size();
    }

    Answer once(String method, String path, byte[] body, String type) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(urls.get(at) + path))
                .header("authorization", "Bearer " + key)
                .header("content-type", type)
                .timeout(Duration.ofSeconds(40))
                .method(method, BodyPublishers.ofByteArray(body))
                .build();
        HttpResponse<byte[]> response = send(request);
        boolean json = response.headers()
                .firstValue("content-type")
                .filter(found -> found.contains("json"))
                .isPresent();
        return new Answer(
                response.statusCode(),
                json ? new JsonObject(io.vertx.core.buffer.Buffer.buffer(response.body())) : new JsonObject());
    }

    byte[] bytes(String path) throws IOException {
        return send(HttpRequest.newBuilder(URI.create(urls.get(at) + path))
                        .header("authorization", "Bearer " + key)
                        .build())
                .body();
    }

    private static HttpResponse<byte[]> send(HttpRequest request) throws IOException {
        try {
            return HTTP.send(request, BodyHandlers.ofByteArray());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    Answer post(String path, JsonObject body) throws IOException {
        return once("POST", path, body.toBuffer().getBytes(), "application/json");
    }

    /** Says it again, here or at the next instance, until somebody answers other than 503. */
    Answer insist(String path, JsonObject body) {
        return insist(path, body, new AtomicBoolean());
    }

    /**
     * The same.
     *
     * @param again set when it was said more than once, so that an earlier answer may have been lost
     */
    Answer insist(String path, JsonObject body, AtomicBoolean again) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String last = "";
        while (System.nanoTime() - end < 0) {
            try {
                Answer answer = post(path, body);
                if (answer.status != 503) {
                    return answer;
                }
                last = answer.toString();
            } catch (IOException e) {
                last = e.toString();
            }
            again.set(true);
            turnAway();
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        throw new AssertionError("no answer to " + path + " in " + TimeUnit.NANOSECONDS.toSeconds(PATIENCE.toNanos())
                + " s, last: " + last);
    }

    /** What a 201 says. */
    static JsonObject stored(Answer answer) {
        if (answer.status != 201) {
            throw new AssertionError("not stored: " + answer);
        }
        return answer.body;
    }

    /** A part as in the wire's example. */
    static JsonObject part(String orderingKey, String policy, JsonObject payload) {
        return new JsonObject()
                .put("bot_id", "7")
                .put("chat_id", "1001")
                .put("ordering_key", orderingKey)
                .put("method_kind", "sendMessage")
                .put("payload_version", 1)
                .put("payload", payload)
                .put("delivery_policy", policy)
                .put("protected", false)
                .put("priority", 0);
    }

    static JsonObject batch(String batchId, List<JsonObject> parts) {
        return new JsonObject().put("batch_id", batchId).put("parts", new JsonArray(parts));
    }

    static JsonObject claim(String worker, @Nullable String claimId, int limit, int leaseSeconds, int waitSeconds) {
        return new JsonObject()
                .put("worker_id", worker)
                .put("claim_id", claimId)
                .put("limit", limit)
                .put("lease_seconds", leaseSeconds)
                .put("wait_seconds", waitSeconds);
    }

    /** The items of a claim or the results of a settlement. */
    static List<JsonObject> objects(Answer answer, String member) {
        JsonArray found = answer.body.getJsonArray(member);
        if (found == null) {
            throw new AssertionError("no " + member + " in " + answer);
        }
        return found.stream().map(JsonObject.class::cast).toList();
    }

    static JsonObject lease(JsonObject item) {
        return new JsonObject().put("id", item.getString("id")).put("lease_token", item.getValue("lease_token"));
    }

    static JsonObject items(List<JsonObject> items) {
        return new JsonObject().put("items", new JsonArray(items));
    }
}
