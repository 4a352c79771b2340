package io.tailrace.http;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.http.ManagementClient.Reply;
import io.tailrace.tenant.Caller;
import io.tailrace.tenant.Scope;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.wire.Problem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ManagementServerIT {
    private static final String DEFAULT_TENANT = "00000000-0000-0000-0000-000000000001";
    private static final String TIME = "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z";

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static ManagementFixture management;
    private static ManagementClient admin;

    @BeforeAll
    static void start() {
        management = new ManagementFixture(db.database(), db.config(), ManagementFixture.TOKEN);
        admin = management.client();
        // Until it has run once, maintenance is rightly called stale.
        admin.post("/admin/maintenance/runs", "{}");
    }

    @AfterAll
    static void stop() {
        management.close();
    }

    private static String newTenant() {
        return admin.post("/admin/tenants", "{\"name\":\"" + UUID.randomUUID() + "\"}")
                .json()
                .getString("id");
    }

    @Test
    @DisplayName("API-6 livez, readyz and startupz answer with every entry by name")
    void health() {
        Reply ready = admin.get("/readyz");

        assertThat(admin.get("/livez").json())
                .isEqualTo(new JsonObject("{\"status\":\"ok\",\"checks\":{\"event_loop\":{\"status\":\"ok\"}}}"));
        assertThat(ready.status()).isEqualTo(200);
        assertThat(ready.json().getString("status")).isEqualTo("ok");
        assertThat(ready.json().getJsonObject("checks").fieldNames()).contains("postgres", "migrations");
        assertThat(admin.get("/startupz").status()).isEqualTo(200);
    }

    @Test
    @DisplayName("OPS-1 metrics are served as Prometheus text")
    void metrics() {
        management.meters.counter("tailrace.test.events").increment();
        Reply metrics = admin.raw("GET", "/metrics", null, "");

        assertThat(metrics.status()).isEqualTo(200);
        assertThat(metrics.contentType()).startsWith("text/plain; version=0.0.4");
        assertThat(metrics.text()).contains("tailrace_test_events_total 1.0");
    }

    @Test
    @DisplayName("API-3 admin needs its own token: 401 without or with another, an API key included")
    void token() {
        String apiKey = admin.post(
                        "/admin/tenants/" + DEFAULT_TENANT + "/keys", "{\"name\":\"k\",\"scopes\":[\"operate\"]}")
                .json()
                .getString("key");
        for (String wrong : List.of("", "x", ManagementFixture.TOKEN + "x", apiKey)) {
            Reply reply = management.client(wrong).get("/admin/tenants");
            assertThat(reply.status()).isEqualTo(401);
            assertThat(reply.code()).isEqualTo("unauthorized");
            assertThat(reply.response().headers().firstValue("www-authenticate"))
                    .contains("Bearer");
            assertThat(management
                            .client(wrong)
                            .raw("GET", "/admin/unknown", null, "")
                            .status())
                    .isEqualTo(401);
        }
    }

    @Test
    @DisplayName("API-3 without a configured token administration is off, and says how to switch it on")
    void noToken() {
        try (ManagementFixture off = new ManagementFixture(db.database(), db.config(), "")) {
            Reply reply = off.client("").get("/admin/tenants");
            assertThat(reply.status()).isEqualTo(403);
            assertThat(reply.json().getString("detail")).contains("management.admin_token");
            assertThat(off.client("").get("/livez").status()).isEqualTo(200);
        }
    }

    @Test
    void tenantsAreMadeAndListedPageByPage() {
        Reply made = admin.post("/admin/tenants", "{\"name\":\"Sal\u00F3n \uD83D\uDE00\"}");
        newTenant();

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().getString("name")).isEqualTo("Sal\u00F3n \uD83D\uDE00");
        assertThat(made.json().getString("created_at")).matches(TIME);
        List<String> names = new ArrayList<>();
        String cursor = "";
        do {
            JsonObject page = admin.get("/admin/tenants?limit=1" + cursor).json();
            names.add(page.getJsonArray("items").getJsonObject(0).getString("name"));
            cursor = page.getString("next") == null ? "" : "&cursor=" + page.getString("next");
        } while (!cursor.isEmpty());
        assertThat(names).contains("default", "Sal\u00F3n \uD83D\uDE00").doesNotHaveDuplicates();
        assertThat((long) names.size()).isEqualTo(db.number("SELECT count(*) FROM tenants"));
    }

    @Test
    void aTenantsRetentionIsKeptAndBounded() {
        Reply made = admin.post("/admin/tenants", "{\"name\":\"kept\",\"retention_days\":90}");
        Reply usual = admin.post("/admin/tenants", "{\"name\":\"usual\"}");

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().getInteger("retention_days")).isEqualTo(90);
        assertThat(usual.json().getInteger("retention_days")).isEqualTo(365);
        for (String days : List.of("29", "36501", "-1", "1.5", "\"90\"", "null")) {
            Reply refused = admin.post("/admin/tenants", "{\"name\":\"no\",\"retention_days\":" + days + "}");
            assertThat(refused.status()).as(days).isEqualTo(422);
            assertThat(refused.pointer()).isEqualTo("/retention_days");
        }
        assertThat(db.number("SELECT count(*) FROM tenants WHERE name = 'no'")).isZero();
    }

    @Test
    void aTakenNameIsAConflict() {
        Reply again = admin.post("/admin/tenants", "{\"name\":\"default\"}");

        assertThat(again.status()).isEqualTo(409);
        assertThat(again.code()).isEqualTo("idempotency_conflict");
        assertThat(again.pointer()).isEqualTo("/name");
    }

    @Test
    @DisplayName("API-3 a key made here opens what it says, is listed without its secret, and is refused once deleted")
    void keys() {
        String tenant = newTenant();
        Reply made = admin.post(
                "/admin/tenants/" + tenant + "/keys",
                "{\"name\":\"ci\",\"scopes\":[\"outbox\",\"operate\"],\"bot_ids\":[\"7\",8],"
                        + "\"expires_at\":\"2199-01-01T01:00:00+01:00\"}");
        String key = made.json().getString("key");
        String keyId = made.json().getString("key_id");

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().getString("expires_at")).isEqualTo("2199-01-01T00:00:00.000000Z");
        assertThat(await(management.keys.authenticate(key)))
                .contains(new Caller(
                        UUID.fromString(tenant), keyId, Set.of(Scope.OUTBOX, Scope.OPERATE), Set.of("7", "8")));

        Reply listed = admin.get("/admin/tenants/" + tenant + "/keys");
        assertThat(listed.text())
                .doesNotContain(key.substring(key.lastIndexOf('_') + 1))
                .doesNotContain("sha256");
        assertThat(listed.json().getJsonArray("items").getJsonObject(0).getJsonArray("bot_ids"))
                .isEqualTo(new JsonArray("[\"7\",\"8\"]"));

        assertThat(admin.delete("/admin/keys/" + keyId).status()).isEqualTo(204);
        assertThat(admin.delete("/admin/keys/" + keyId).status()).isEqualTo(204);
        assertThat(await(management.keys.authenticate(key))).isEmpty();
        assertThat(admin.get("/admin/tenants/" + tenant + "/keys")
                        .json()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getString("revoked_at"))
                .matches(TIME);
    }

    @Test
    void whatIsNotThereIsNotFound() {
        String nobody = UUID.randomUUID().toString();
        String key = "{\"name\":\"k\",\"scopes\":[\"llm\"]}";
        for (String tenant : List.of(nobody, "1-1-1-1-1", "..%2F..", "%27%20OR%201=1")) {
            assertThat(admin.post("/admin/tenants/" + tenant + "/keys", key).status())
                    .isEqualTo(404);
            assertThat(admin.get("/admin/tenants/" + tenant + "/keys").code()).isEqualTo("not_found");
        }
        assertThat(admin.delete("/admin/keys/nope").status()).isEqualTo(404);
        assertThat(admin.delete("/admin/keys/a%00b").status()).isEqualTo(404);
        assertThat(admin.raw("GET", "/nothing", null, "").code()).isEqualTo("not_found");
        Reply wrongMethod = admin.raw("PUT", "/admin/tenants", "{}", "application/json");
        assertThat(wrongMethod.status()).isEqualTo(405);
        assertThat(wrongMethod.contentType()).isEqualTo(Problem.MEDIA_TYPE);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {}                                            | invalid_field | /name
                    {"name":null}                                 | invalid_field | /name
                    {"name":7}                                    | invalid_field | /name
                    {"name":"  "}                                 | invalid_field | /name
                    {"name":"a\\u0000b"}                          | invalid_field | /name
                    {"name":"a\\ud83d"}                           | invalid_field | /name
                    {"name":"a","nam":"b"}                        | invalid_field | /nam
                    {"name":"a","name":"b"}                       | malformed     | /name
                    {"name":"a"                                   | malformed     | /name
                    {"name":"a"} x                                | malformed     | ``
                    []                                            | invalid_field | ``
                    null                                          | invalid_field | ``
                    """)
    @DisplayName("API-1 a bad tenant is a problem with a code and a pointer, and nothing is stored")
    void badTenant(String body, String code, String pointer) {
        long before = db.number("SELECT count(*) FROM tenants");
        Reply reply = admin.post("/admin/tenants", body);

        assertThat(reply.code()).as(reply.text()).isEqualTo(code);
        assertThat(reply.pointer()).as(reply.text()).isEqualTo(pointer);
        assertThat(reply.status()).isBetween(400, 422);
        assertThat(db.number("SELECT count(*) FROM tenants")).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    {"name":"k"}                                                          | /scopes
                    {"name":"k","scopes":[]}                                              | /scopes
                    {"name":"k","scopes":"outbox"}                                        | /scopes
                    {"name":"k","scopes":["outbox","root"]}                               | /scopes/1
                    {"name":"k","scopes":["outbox"],"bot_ids":[]}                         | /bot_ids
                    {"name":"k","scopes":["outbox"],"bot_ids":[true]}                     | /bot_ids/0
                    {"name":"k","scopes":["outbox"],"bot_ids":["7",-8]}                   | /bot_ids/1
                    {"name":"k","scopes":["outbox"],"bot_ids":["7",""]}                   | /bot_ids/1
                    {"name":"k","scopes":["outbox"],"expires_at":"2030-01-01T00:00:00"}   | /expires_at
                    {"name":"k","scopes":["outbox"],"expires_at":"2001-01-01T00:00:00Z"}  | /expires_at
                    {"name":"k","scopes":["outbox"],"expires_at":1}                       | /expires_at
                    {"name":"k","scopes":["outbox"],"expire_at":null}                     | /expire_at
                    """)
    @DisplayName("API-1 a bad key is a problem with a code and a pointer, and nothing is stored")
    void badKey(String body, String pointer) {
        long before = db.number("SELECT count(*) FROM api_keys");
        Reply reply = admin.post("/admin/tenants/" + DEFAULT_TENANT + "/keys", body);

        assertThat(reply.status()).as(reply.text()).isEqualTo(422);
        assertThat(reply.pointer()).as(reply.text()).isEqualTo(pointer);
        assertThat(db.number("SELECT count(*) FROM api_keys")).isEqualTo(before);
    }

    @Test
    @DisplayName("API-4 admin bodies are small, of JSON, and cursors come from their own list")
    void limits() {
        String huge = "{\"name\":\"" + "x".repeat(70_000) + "\"}";
        assertThat(admin.post("/admin/tenants", huge).code()).isEqualTo("too_large");
        assertThat(admin.raw("POST", "/admin/tenants", "{\"name\":\"a\"}", "text/plain")
                        .code())
                .isEqualTo("unsupported_media_type");
        newTenant();
        String foreign = admin.get("/admin/tenants?limit=1").json().getString("next");
        for (String query : List.of("limit=0", "limit=1001", "limit=x", "cursor=%2B%2B", "cursor=eA")) {
            assertThat(admin.get("/admin/tenants?" + query).status()).as(query).isEqualTo(422);
        }
        assertThat(admin.get("/admin/tenants/" + DEFAULT_TENANT + "/keys?cursor=" + foreign)
                        .status())
                .isEqualTo(422);
    }

    @Test
    @DisplayName("API-1 the document refuses what the service refuses by form")
    void documentIsAsStrict() {
        String path = "/admin/tenants/" + DEFAULT_TENANT + "/keys";
        for (String body : List.of(
                "{\"name\":\"k\"}",
                "{\"name\":\"k\",\"scopes\":[]}",
                "{\"name\":\"k\",\"scopes\":[\"root\"]}",
                "{\"name\":\"k\",\"scopes\":[\"llm\"],\"bot_ids\":[]}",
                "{\"name\":\"k\",\"scopes\":[\"llm\"],\"extra\":1}")) {
            assertThat(admin.accepts("POST", path, body)).as(body).isFalse();
        }
    }

    @Test
    @DisplayName("OPS-3 an instance that is stopping says so and still answers")
    void stopping() {
        try (ManagementFixture other = new ManagementFixture(db.database(), db.config(), ManagementFixture.TOKEN)) {
            ManagementClient client = other.client();
            other.readiness.stopping();
            Reply reply = client.get("/readyz");
            assertThat(reply.status()).isEqualTo(503);
            assertThat(reply.text()).contains("stopping");
            assertThat(client.get("/livez").status()).isEqualTo(200);
        }
    }
}
