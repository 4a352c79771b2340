package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.outbox.BlobStore;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.PartListStore;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The whole road, from HTTP to PostgreSQL and back, every request and answer held against the document. */
class OutboxOverHttpIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final Vertx VERTX = Vertx.vertx();

    private static Database database;
    private static Outbox outbox;
    private static EdgeFixture edge;

    @BeforeAll
    static void open() {
        // Pools of its own: a pool prefers a connection of the caller's event loop, and opens another where it has
        // none.
        database = Database.open(VERTX, DB.config());
        outbox = new Outbox(VERTX, database, OutboxSettings.DEFAULT, new SimpleMeterRegistry());
        edge = new EdgeFixture(VERTX, outbox, new PartListStore(database), new BlobStore(database));
    }

    @AfterAll
    static void close() {
        edge.close();
        TestDatabase.await(outbox.stop());
        TestDatabase.await(database.close());
        TestDatabase.await(VERTX.close());
    }

    private static String batch(String id, String key, String payload) {
        return "{\"batch_id\":\"" + id + "\",\"parts\":[{\"bot_id\":7,\"chat_id\":-1001,\"ordering_key\":\"" + key
                + "\",\"method_kind\":\"sendMessage\",\"payload\":" + payload + "}]}";
    }

    private static EdgeFixture.Answer post(String verb, String body) {
        return edge.post("/v1/outbox/" + verb, body).send();
    }

    private static JsonObject claimOne() {
        return post("claims", "{\"worker_id\":\"w\",\"limit\":1}")
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
    }

    private static String lease(JsonObject item, String more) {
        return "{\"items\":[{\"id\":\"" + item.getString("id") + "\",\"lease_token\":" + item.getLong("lease_token")
                + more + "}]}";
    }

    @Test
    @DisplayName("API-2 a part goes in, out, and is looked at, and its payload is the same JSON value all the way")
    void cycle() {
        String payload = "{\"n\":123456789012345678901234567890.50,\"text\":\"\\u00e9 \\ud83d\\ude00\"}";
        String body = batch("cycle", "cycle", payload);
        assertThat(post("batches", body).status()).isEqualTo(201);
        assertThat(post("batches", body).status()).isEqualTo(200);
        EdgeFixture.Answer conflict =
                edge.post("/v1/outbox/batches", body.replace("-1001", "-1002")).send();
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.pointer()).isEqualTo("/parts/0/chat_id");

        JsonObject item = claimOne();
        assertThat(item.getString("chat_id")).isEqualTo("-1001");
        assertThat(item.getJsonObject("payload").getString("text")).isEqualTo("\u00e9 \ud83d\ude00");
        assertThat(post("settlements", lease(item, ",\"outcome\":\"delivered\",\"message_ids\":[5]"))
                        .status())
                .isEqualTo(207);
        assertThat(post("starts", lease(item, "")).status()).isEqualTo(200);
        assertThat(post("renewals", lease(item, "")).status()).isEqualTo(200);
        String delivered = lease(item, ",\"outcome\":\"delivered\",\"message_ids\":[5],\"receipt\":{\"a\":1.0}");
        assertThat(post("settlements", delivered).status()).isEqualTo(200);
        JsonObject again =
                post("settlements", delivered).json().getJsonArray("results").getJsonObject(0);
        assertThat(again.getBoolean("replayed")).isTrue();

        String path = "/v1/outbox/items/" + item.getString("id");
        EdgeFixture.Answer shown = edge.get(path + "?include=payload,receipt").send();
        assertThat(shown.text()).contains("123456789012345678901234567890.50");
        assertThat(shown.json().getString("state")).isEqualTo("delivered");
        assertThat(shown.json().getJsonArray("message_ids")).containsExactly("5");
        assertThat(edge.get(path + "/attempts").send().json().getJsonArray("items"))
                .hasSize(1);
        assertThat(edge.get("/v1/outbox/batches/cycle").send().json().getJsonArray("parts"))
                .hasSize(1);
    }

    @Test
    @DisplayName("OUT-17 a claim that starts its parts saves the start: they can be delivered at once")
    void startedByTheClaim() {
        post("batches", batch("quick", "quick", "{}"));
        JsonObject item = post("claims", "{\"worker_id\":\"w\",\"limit\":1,\"start\":true}")
                .json()
                .getJsonArray("items")
                .getJsonObject(0);

        EdgeFixture.Answer delivered =
                post("settlements", lease(item, ",\"outcome\":\"delivered\",\"message_ids\":[5]"));

        assertThat(delivered.status()).isEqualTo(200);
        assertThat(edge.get("/v1/outbox/items/" + item.getString("id") + "/attempts")
                        .send()
                        .json()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getString("request_started_at"))
                .isNotNull();
    }

    @Test
    @DisplayName("API-2 an operator finds a dead letter in the list, page by page")
    void deadLetters() {
        for (int i = 0; i < 3; i++) {
            post("batches", batch("dead-" + i, "dead-" + i, "{}"));
            post(
                    "settlements",
                    lease(claimOne(), ",\"outcome\":\"dead_letter\",\"error_class\":\"terminal_bad_request\""));
        }
        JsonObject first =
                edge.get("/v1/outbox/items?state=dead_letter&limit=2").send().json();
        assertThat(first.getJsonArray("items")).hasSize(2);
        JsonObject second = edge.get("/v1/outbox/items?state=dead_letter&limit=2&cursor=" + first.getString("next"))
                .send()
                .json();
        assertThat(second.getJsonArray("items")).hasSize(1);
        assertThat(second.getString("next")).isNull();
        edge.get("/v1/outbox/stats").send();
    }

    @Test
    @DisplayName("API-7 lines of NDJSON are stored each for itself")
    void ndjson() {
        String body = batch("line-1", "lines", "{}") + "\n" + batch("line-2", "lines", "{}") + "\n"
                + batch("line-1", "other", "{}");
        EdgeFixture.Answer answer = edge.call(
                        "POST", "/v1/outbox/batches", body.getBytes(StandardCharsets.UTF_8), "application/x-ndjson")
                .send();
        assertThat(answer.status()).isEqualTo(207);
        JsonArray lines = new JsonArray();
        answer.text().lines().map(JsonObject::new).forEach(lines::add);
        assertThat(lines.getJsonObject(0).getInteger("status")).isEqualTo(201);
        assertThat(lines.getJsonObject(2).getString("code")).isEqualTo("idempotency_conflict");
        while (!post("claims", "{\"worker_id\":\"w\",\"limit\":1}")
                .json()
                .getJsonArray("items")
                .isEmpty()) {
            // Emptied, so that the other tests claim their own parts.
        }
    }

    @Test
    @DisplayName("API-1 what PostgreSQL could choke on is refused or stored, and never a 500")
    void oddButStorable() {
        for (String payload : List.of(
                "{\"a\":1e308}",
                "{\"a\":-1.7976931348623157e308}",
                "{\"a\":5e-324}",
                "{\"a\":0.0e-300}",
                "{\"a\":-0.0}",
                "{\"\":{}}",
                "{\"a\":\"'; DROP TABLE tenants; --\"}",
                "{\"a\":\"\\\\u0000\"}",
                "{\"a\":\"\\ufffe\\uffff\"}",
                "{\"a\":" + "[".repeat(60) + "]".repeat(60) + "}",
                "{\"a\":" + "1".repeat(128) + "}")) {
            String id = "odd-" + payload.hashCode();
            assertThat(edge.post("/v1/outbox/batches", batch(id, id + "'\\u0001\\\\\\\"; --", payload))
                            .send()
                            .status())
                    .as(payload)
                    .isEqualTo(201);
        }
        while (!post("claims", "{\"worker_id\":\"w\",\"limit\":256}")
                .json()
                .getJsonArray("items")
                .isEmpty()) {
            // All of them can be claimed, too.
        }
    }
}
