package io.tailrace.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.bus.ActivityAddresses;
import io.tailrace.bus.BusProblem;
import io.tailrace.bus.OutboxAddresses;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.testkit.TestKeys;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The same question to both edges of one service. */
class EmbeddedTwinsIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static HostApplication host;
    private static EmbeddedTailrace tailrace;
    private static String key;
    private static String part;

    /** HTTP's status and JSON, or the bus's. */
    private record Answer(int status, JsonObject json) {}

    @BeforeAll
    static void open() {
        host = new HostApplication();
        JsonObject settings = HostApplication.settings(DB.config())
                .put(
                        "http",
                        new JsonObject()
                                .put("enabled", true)
                                .put("host", "127.0.0.1")
                                .put("port", 0))
                .put("keys", new JsonObject().put("environment", "test"));
        tailrace = TestDatabase.await(EmbeddedTailrace.deploy(host.vertx, EmbeddingOptions.of(settings)));
        TestDatabase.await(tailrace.ready(), Duration.ofSeconds(30));
        key = TestKeys.all(DB);
        part = host.ask(OutboxAddresses.ENQUEUE, HostApplication.batch("twin"))
                .body()
                .getJsonArray("parts")
                .getJsonObject(0)
                .getString("id");
        host.ask(OutboxAddresses.ENQUEUE, HostApplication.batch("head"));
        JsonObject behind = HostApplication.batch("behind");
        behind.getJsonArray("parts").getJsonObject(0).put("ordering_key", "head");
        host.ask(OutboxAddresses.ENQUEUE, behind);
        host.ask(OutboxAddresses.CLAIM, new JsonObject().put("worker_id", "w"));
    }

    @AfterAll
    static void close() {
        assertThat(TestDatabase.await(tailrace.close(), Duration.ofSeconds(15))).isTrue();
        host.close();
    }

    private static Answer http(String method, String path, JsonObject body) throws IOException, InterruptedException {
        return asked(method, "/v1/outbox/" + path, body);
    }

    private static Answer asked(String method, String path, JsonObject body) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + tailrace.port() + path))
                .timeout(TestDatabase.PATIENCE)
                .header("authorization", "Bearer " + key);
        if (method.equals("POST")) {
            request.header("content-type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body.encode()));
        }
        HttpResponse<String> response = HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), new JsonObject(response.body()));
    }

    private static Answer bus(String address, JsonObject body) {
        return TestDatabase.await(host.request(address, body)
                .map(reply ->
                        new Answer(Integer.parseInt(reply.headers().get(OutboxAddresses.STATUS_HEADER)), reply.body()))
                .recover(cause -> {
                    BusProblem problem = BusProblem.of(cause).orElseThrow();
                    return Future.succeededFuture(new Answer(problem.status(), problem.json()));
                }));
    }

    private static void assertTwins(String address, JsonObject asked, String path)
            throws IOException, InterruptedException {
        assertThat(bus(address, asked)).as(address).isEqualTo(http("GET", path, new JsonObject()));
    }

    @Test
    @DisplayName("BUS-1 whoever looks gets the same JSON over the bus as over HTTP")
    void looks() throws IOException, InterruptedException {
        JsonObject id = new JsonObject().put("id", part);
        assertTwins(OutboxAddresses.ITEM, id, "items/" + part);
        assertTwins(
                OutboxAddresses.ITEM,
                id.copy().put("include", new JsonArray().add("payload").add("receipt")),
                "items/" + part + "?include=payload,receipt");
        assertTwins(OutboxAddresses.ATTEMPTS, id, "items/" + part + "/attempts");
        assertTwins(OutboxAddresses.BATCH, new JsonObject().put("batch_id", "twin"), "batches/twin");
        assertTwins(OutboxAddresses.LIST, new JsonObject(), "items");
        JsonObject page = new JsonObject().put("state", "leased").put("limit", 1);
        assertTwins(OutboxAddresses.LIST, page, "items?state=leased&limit=1");
        String next = bus(OutboxAddresses.LIST, page).json().getString("next");
        assertTwins(OutboxAddresses.LIST, page.copy().put("cursor", next), "items?state=leased&limit=1&cursor=" + next);
        assertThat(bus(OutboxAddresses.BLOCKED, new JsonObject()).json().getJsonArray("items"))
                .hasSize(1);
        assertTwins(OutboxAddresses.BLOCKED, new JsonObject().put("limit", 1), "blocked?limit=1");
    }

    @Test
    @DisplayName("BUS-1 whoever acts gets the same JSON, whichever edge is asked")
    void acts() throws IOException, InterruptedException {
        JsonObject until = new JsonObject().put("until", "2100-01-01T00:00:00.000000Z");
        assertThat(bus(OutboxAddresses.PAUSE, until.copy().put("bot_id", "77")))
                .isEqualTo(http("POST", "bots/77/pause", until));
        assertThat(bus(OutboxAddresses.RESUME, new JsonObject().put("bot_id", "77")))
                .isEqualTo(http("POST", "bots/77/resume", new JsonObject()));
        JsonObject order = new JsonObject()
                .put("filter", new JsonObject().put("state", "dead_letter"))
                .put("dry_run", true);
        assertThat(bus(OutboxAddresses.REDRIVE, order)).isEqualTo(http("POST", "redrives", order));
        JsonObject lost = new JsonObject()
                .put(
                        "items",
                        new JsonArray().add(new JsonObject().put("id", part).put("lease_token", 99)));
        assertThat(bus(OutboxAddresses.START, lost))
                .isEqualTo(http("POST", "starts", lost))
                .extracting(Answer::status)
                .isEqualTo(207);
    }

    @Test
    @DisplayName("BUS-1 what is refused is the same problem over the bus as over HTTP, word for word")
    void problems() throws IOException, InterruptedException {
        JsonObject conflict = HostApplication.batch("twin");
        conflict.getJsonArray("parts").getJsonObject(0).put("priority", 3);
        assertThat(bus(OutboxAddresses.ENQUEUE, conflict))
                .isEqualTo(http("POST", "batches", conflict))
                .extracting(Answer::status)
                .isEqualTo(409);
        JsonObject misspelt = new JsonObject().put("worker", "w");
        assertThat(bus(OutboxAddresses.CLAIM, misspelt)).isEqualTo(http("POST", "claims", misspelt));
        assertThat(bus(OutboxAddresses.CANCEL, new JsonObject().put("id", part)))
                .isEqualTo(http("POST", "items/" + part + "/cancel", new JsonObject()))
                .extracting(answer -> answer.json().getString("code"))
                .isEqualTo("leased");
        assertTwins(OutboxAddresses.ITEM, new JsonObject().put("id", "nonsense"), "items/nonsense");
        assertTwins(OutboxAddresses.REDRIVE_PROGRESS, new JsonObject().put("redrive_id", "none"), "redrives/none");
        assertTwins(OutboxAddresses.BLOCKED, new JsonObject().put("cursor", "another"), "blocked?cursor=another");
    }

    @Test
    @DisplayName("BUS-1 conversations and activities are the same JSON and the same problems over the bus as over HTTP")
    void log() throws IOException, InterruptedException {
        String conversation =
                asked("POST", "/v1/conversations", new JsonObject()).json().getString("id");
        String path = "/v1/conversations/" + conversation;
        JsonObject activity = new JsonObject()
                .put("type", "message")
                .put("sender", "s")
                .put("text", "Hello")
                .put("idempotency_key", "k");
        JsonObject named = activity.copy().put("conversation_id", conversation);
        Answer stored = asked("POST", path + "/activities", activity);
        assertThat(stored.status()).isEqualTo(201);
        Answer replayed = bus(ActivityAddresses.APPEND, named);
        assertThat(replayed.json()).isEqualTo(stored.json());
        assertThat(asked("POST", path + "/activities", activity)).isEqualTo(replayed);
        assertThat(bus(ActivityAddresses.APPEND, named.copy().put("text", "Bye")))
                .isEqualTo(asked("POST", path + "/activities", activity.copy().put("text", "Bye")))
                .extracting(Answer::status)
                .isEqualTo(409);
        JsonObject id = new JsonObject().put("id", stored.json().getString("id"));
        JsonObject whole = new JsonObject().put("id", conversation);
        JsonObject nothing = new JsonObject();
        assertThat(bus(ActivityAddresses.GET, id))
                .isEqualTo(asked("GET", "/v1/activities/" + id.getString("id"), nothing));
        assertThat(bus(ActivityAddresses.GET_CONVERSATION, whole)).isEqualTo(asked("GET", path, nothing));
        bus(ActivityAddresses.APPEND, named.copy().put("idempotency_key", "l"));
        JsonObject page = new JsonObject().put("conversation_id", conversation).put("limit", 1);
        Answer first = asked("GET", path + "/activities?limit=1", nothing);
        assertThat(bus(ActivityAddresses.LIST, page)).isEqualTo(first);
        String next = first.json().getString("next");
        assertThat(bus(ActivityAddresses.LIST, page.copy().put("cursor", next)))
                .isEqualTo(asked("GET", path + "/activities?limit=1&cursor=" + next, nothing));
        assertThat(bus(ActivityAddresses.LIST, page.copy().put("cursor", "another")))
                .isEqualTo(asked("GET", path + "/activities?cursor=another", nothing));
        assertThat(bus(ActivityAddresses.GET, whole))
                .isEqualTo(asked("GET", "/v1/activities/" + conversation, nothing));
        assertThat(bus(ActivityAddresses.CREATE_CONVERSATION, whole))
                .isEqualTo(asked("POST", "/v1/conversations", whole))
                .extracting(Answer::status)
                .isEqualTo(200);
    }
}
