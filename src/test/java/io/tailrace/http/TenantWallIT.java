package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Every operation of the OpenAPI document, asked by one tenant with the ids of another. An operation that is added to the document
 * fails here until somebody says what such a request has to come to.
 */
class TenantWallIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final String STRANGER = "stranger";
    /** In everything that the owner stores. */
    private static final String SECRET = "only-the-owner-knows";

    private static final byte[] BLOB = SECRET.getBytes(StandardCharsets.UTF_8);

    /** With a body that names the owner's things. What is asked with a path alone needs none. */
    private static final Map<String, String> BODIES = new TreeMap<>();

    /** That belong to nobody: what the stranger does there is the stranger's own. */
    private static final Set<String> OWN = Set.of(
            "GET /v1/openapi.json",
            "GET /v1/openapi.yaml",
            "GET /v1/outbox/items",
            "GET /v1/outbox/stats",
            "GET /v1/outbox/blocked",
            "POST /v1/outbox/batches",
            "POST /v1/outbox/claims",
            "POST /v1/outbox/redrives",
            "PUT /v1/outbox/blobs/{sha256}",
            "POST /v1/outbox/bots/{bot_id}/pause",
            "POST /v1/outbox/bots/{bot_id}/resume");

    /** Answered item by item. */
    private static final Set<String> BY_ITEM =
            Set.of("POST /v1/outbox/starts", "POST /v1/outbox/renewals", "POST /v1/outbox/settlements");

    private static LogFixture log;
    private static EdgeFixture edge;
    private static UUID stranger;
    private static String conversation;
    private static String activity;
    private static String part;
    private static String redrive;
    private static String sha256;

    @BeforeAll
    static void open() throws NoSuchAlgorithmException {
        log = new LogFixture(DB, 10);
        edge = log.edge;
        stranger = UUID.randomUUID();
        DB.execute("INSERT INTO tenants (id, name) VALUES (?, 'stranger')", stranger);
        edge.key(STRANGER, stranger);

        conversation = edge.post("/v1/conversations", "{\"metadata\":{\"s\":\"" + SECRET + "\"}}")
                .send()
                .json()
                .getString("id");
        activity = log.append(conversation, LogFixture.message(SECRET)).json().getString("id");
        part = edge.post("/v1/outbox/batches", batch(SECRET))
                .send()
                .json()
                .getJsonArray("parts")
                .getJsonObject(0)
                .getString("id");
        sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(BLOB));
        edge.call("PUT", "/v1/outbox/blobs/" + sha256, BLOB, "text/plain").send();
        String cancelled = edge.post("/v1/outbox/batches", batch(SECRET + "-cancelled"))
                .send()
                .json()
                .getJsonArray("parts")
                .getJsonObject(0)
                .getString("id");
        edge.post("/v1/outbox/items/" + cancelled + "/cancel", "").send();
        redrive = edge.post("/v1/outbox/redrives", "{\"filter\":{\"state\":\"cancelled\"}}")
                .send()
                .json()
                .getString("redrive_id");

        String message = new JsonObject(LogFixture.message("x"))
                .put("conversation_id", conversation)
                .encode();
        String lease = "{\"items\":[{\"id\":\"" + part + "\",\"lease_token\":1%s}]}";
        BODIES.put("POST /v1/conversations", "{\"id\":\"" + conversation + "\"}");
        BODIES.put("POST /v1/conversations/{id}/activities", LogFixture.message("x"));
        BODIES.put("POST /v1/activities", "[" + message + "," + message + "]");
        BODIES.put("POST /v1/outbox/batches", batch("strangers-own"));
        BODIES.put("POST /v1/outbox/claims", "{\"worker_id\":\"w\",\"limit\":256}");
        BODIES.put("POST /v1/outbox/starts", lease.formatted(""));
        BODIES.put("POST /v1/outbox/renewals", lease.formatted(""));
        BODIES.put("POST /v1/outbox/settlements", lease.formatted(",\"outcome\":\"delivered\""));
        BODIES.put("POST /v1/outbox/redrives", "{\"filter\":{\"state\":\"dead_letter\"},\"dry_run\":true}");
        BODIES.put("POST /v1/outbox/items/{id}/retry", "{\"accept_duplicate_risk\":true}");
        BODIES.put("POST /v1/outbox/bots/{bot_id}/pause", "{}");
    }

    @AfterAll
    static void close() {
        log.close();
    }

    private static String batch(String id) {
        return new JsonObject()
                .put("batch_id", id)
                .put(
                        "parts",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("bot_id", "7")
                                        .put("ordering_key", id)
                                        .put("method_kind", "sendMessage")
                                        .put("payload", new JsonObject().put("text", id))))
                .encode();
    }

    private static String path(String template) {
        String id = template.startsWith("/v1/conversations/")
                ? conversation
                : template.startsWith("/v1/activities/")
                        ? activity
                        : template.startsWith("/v1/outbox/redrives/") ? redrive : part;
        return template.replace("{id}", id)
                .replace("{batch_id}", SECRET)
                .replace("{sha256}", sha256)
                .replace("{bot_id}", "7");
    }

    private static EdgeFixture.Answer ask(String operation, String key) {
        String method = operation.substring(0, operation.indexOf(' '));
        String template = operation.substring(operation.indexOf(' ') + 1);
        byte[] body = template.endsWith("{sha256}") && method.equals("PUT")
                ? BLOB
                : BODIES.getOrDefault(operation, "").getBytes(StandardCharsets.UTF_8);
        String type = body.length == 0 ? null : method.equals("PUT") ? "text/plain" : "application/json";
        return edge.call(method, path(template), body, type).key(key).bad().send();
    }

    /** All of the owner's, as it stands. */
    private static List<Object> owners() {
        return List.of(
                DB.query("SELECT * FROM conversations WHERE tenant_id = ? ORDER BY id", EdgeFixture.TENANT),
                DB.query("SELECT * FROM activities WHERE tenant_id = ? ORDER BY id", EdgeFixture.TENANT),
                DB.query("SELECT id, state FROM telegram_outbox WHERE tenant_id = ? ORDER BY id", EdgeFixture.TENANT),
                DB.query("SELECT * FROM tombstones WHERE tenant_id = ?", EdgeFixture.TENANT),
                DB.query("SELECT * FROM purges"));
    }

    @Test
    @DisplayName(
            "ACT-17 another tenant's ids on every route of the document: 404, no word of what is there, nothing changed")
    void everyRoute() {
        List<Object> before = owners();
        Set<String> tried = new TreeSet<>();
        for (String operation : edge.contract.operations()) {
            EdgeFixture.Answer answer = ask(operation, STRANGER);
            tried.add(operation);
            assertThat(answer.text())
                    .as(operation)
                    .doesNotContain(EdgeFixture.TENANT.toString())
                    .doesNotContain(operation.contains("openapi") ? "\u0000" : "\"text\":\"" + SECRET);
            if (operation.equals("POST /v1/conversations")) {
                // Ids are one space for all: that one is taken is all that is said.
                assertThat(answer.status()).isEqualTo(409);
                assertThat(answer.text()).doesNotContain(SECRET);
            } else if (BY_ITEM.contains(operation)) {
                assertThat(answer.status()).as(operation).isEqualTo(207);
                assertThat(answer.json()
                                .getJsonArray("results")
                                .getJsonObject(0)
                                .getBoolean("ok"))
                        .as(operation)
                        .isFalse();
            } else if (OWN.contains(operation)) {
                assertThat(answer.status()).as(operation).isBetween(200, 202);
                assertThat(operation.contains("blobs") ? "" : answer.text())
                        .as(operation)
                        .doesNotContain(SECRET);
            } else {
                assertThat(answer.status()).as(operation + " " + answer.text()).isEqualTo(404);
                assertThat(answer.code()).isEqualTo("not_found");
            }
            assertThat(owners()).as("the owner's rows after " + operation).isEqualTo(before);
        }
        assertThat(tried).hasSizeGreaterThan(25);
    }

    @Test
    @DisplayName("ACT-17 what is not there and what is another's are answered with the same words")
    void sameWords() {
        for (String path : List.of(
                "/v1/conversations/%s",
                "/v1/conversations/%s/activities", "/v1/conversations/%s/stream", "/v1/activities/%s")) {
            String theirs = path.startsWith("/v1/activities") ? activity : conversation;
            assertThat(edge.get(path.formatted(theirs)).key(STRANGER).send().text())
                    .isEqualTo(edge.get(path.formatted(UUID.randomUUID()))
                            .key(STRANGER)
                            .send()
                            .text());
        }
    }

    @Test
    @DisplayName("ACT-17 a cursor of another tenant's list is no cursor here")
    void cursors() {
        log.append(conversation, LogFixture.message("two"));
        String next = log.page(conversation, "?limit=1").getString("next");
        String own =
                edge.post("/v1/conversations", "{}").key(STRANGER).send().json().getString("id");
        assertThat(edge.get(LogFixture.activities(own) + "?cursor=" + next)
                        .key(STRANGER)
                        .send()
                        .code())
                .isEqualTo("malformed");
    }
}
