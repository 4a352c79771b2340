package io.tailrace.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxOnBusIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final DeliveryOptions NOBODY =
            new DeliveryOptions().addHeader("tenant", "00000000-0000-0000-0000-0000000000ff");

    private static BusScene scene;

    @BeforeAll
    static void open() {
        scene = new BusScene(DB.config(), 2);
    }

    @AfterAll
    static void close() {
        scene.close();
    }

    private static Message<JsonObject> ask(String address, JsonObject body) {
        return scene.ask(address, body);
    }

    private static BusProblem refused(String address, Object body, DeliveryOptions options) {
        return scene.refused(address, body, options);
    }

    @Test
    @DisplayName("BUS-1 a part goes in, out and is looked at, each operation at its address in the JSON of HTTP")
    void cycle() {
        Message<JsonObject> stored = ask(OutboxAddresses.ENQUEUE, BusScene.batch("cycle"));
        assertThat(stored.headers().get("status")).isEqualTo("201");
        assertThat(ask(OutboxAddresses.ENQUEUE, BusScene.batch("cycle"))
                        .headers()
                        .get("status"))
                .isEqualTo("200");
        JsonObject item = ask(OutboxAddresses.CLAIM, new JsonObject().put("worker_id", "w"))
                .body()
                .getJsonArray("items")
                .getJsonObject(0);
        JsonObject lease =
                new JsonObject().put("id", item.getString("id")).put("lease_token", item.getLong("lease_token"));
        JsonObject leases = new JsonObject().put("items", new JsonArray().add(lease));
        assertThat(ask(OutboxAddresses.START, leases).headers().get("status")).isEqualTo("200");
        assertThat(ask(OutboxAddresses.RENEW, leases).headers().get("status")).isEqualTo("200");
        lease.put("outcome", "delivered").put("message_ids", new JsonArray().add("5"));
        Message<JsonObject> settled = ask(OutboxAddresses.SETTLE, leases);
        assertThat(settled.headers().get("status")).isEqualTo("200");

        JsonObject id = new JsonObject().put("id", item.getString("id"));
        assertThat(ask(OutboxAddresses.ITEM, id).body().getString("state")).isEqualTo("delivered");
        assertThat(ask(OutboxAddresses.ATTEMPTS, id).body().getJsonArray("items"))
                .hasSize(1);
        assertThat(ask(OutboxAddresses.BATCH, new JsonObject().put("batch_id", "cycle"))
                        .body()
                        .getJsonArray("parts"))
                .hasSize(1);
        assertThat(ask(OutboxAddresses.LIST, new JsonObject().put("limit", 1))
                        .body()
                        .getJsonArray("items"))
                .hasSize(1);
        assertThat(ask(OutboxAddresses.STATS, new JsonObject()).body().getJsonObject("depth"))
                .isNotNull();
    }

    @Test
    @DisplayName("BUS-1 what is refused fails with HTTP's status and problem code, and is never left unanswered")
    void problems() {
        ask(OutboxAddresses.ENQUEUE, BusScene.batch("conflict"));
        JsonObject other = BusScene.batch("conflict");
        other.getJsonArray("parts").getJsonObject(0).put("bot_id", "8");
        BusProblem conflict = refused(OutboxAddresses.ENQUEUE, other, new DeliveryOptions());
        assertThat(conflict.code()).isEqualTo("idempotency_conflict");
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(refused(OutboxAddresses.ITEM, Buffer.buffer("{"), new DeliveryOptions())
                        .code())
                .isEqualTo("malformed");
        assertThat(refused(OutboxAddresses.STATS, "text", new DeliveryOptions()).status())
                .isEqualTo(415);
        assertThat(refused(
                                OutboxAddresses.STATS,
                                new JsonObject(),
                                new DeliveryOptions().addHeader("authorization", "Bearer x"))
                        .code())
                .isEqualTo("unauthorized");
        assertThat(refused(OutboxAddresses.STATS, new JsonObject(), new DeliveryOptions().addHeader("tenant", "acme"))
                        .code())
                .isEqualTo("invalid_field");
    }

    @Test
    @DisplayName("BUS-1 past the limit of requests under way the answer is overloaded; a waiting claim is one of them")
    void overloaded() {
        JsonObject waiting = new JsonObject().put("worker_id", "w").put("wait_seconds", 1);
        // They are spread over instances, so which of them comes last is open.
        List<Future<Message<Object>>> asked = List.of(
                scene.request(OutboxAddresses.CLAIM, waiting, NOBODY),
                scene.request(OutboxAddresses.CLAIM, waiting, NOBODY),
                scene.request(OutboxAddresses.CLAIM, waiting, NOBODY));
        TestDatabase.await(Future.join(asked).otherwiseEmpty());
        assertThat(asked.stream().filter(Future::failed)).singleElement().satisfies(refused -> {
            BusProblem problem = BusProblem.of(refused.cause()).orElseThrow();
            assertThat(problem.code()).isEqualTo("overloaded");
            assertThat(problem.detail()).contains("bus.in_flight");
        });
        assertThat(ask(OutboxAddresses.STATS, new JsonObject()).headers().get("status"))
                .isEqualTo("200");
    }

    @Test
    @DisplayName("BUS-1 a claim that waits is woken by an enqueue, and otherwise answered empty when its time is over")
    void waiting() {
        JsonObject claim = new JsonObject()
                .put("worker_id", "w")
                .put("bot_ids", new JsonArray().add("66"))
                .put("wait_seconds", 20);
        Future<Message<JsonObject>> waiting = scene.request(OutboxAddresses.CLAIM, claim, new DeliveryOptions());
        String id = scene.enqueue(BusScene.batch("woken", "woken", "66"));
        // Less than it would have waited.
        assertThat(TestDatabase.await(waiting)
                        .body()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getString("id"))
                .isEqualTo(id);

        long began = System.nanoTime();
        Message<JsonObject> nothing = ask(OutboxAddresses.CLAIM, claim.put("wait_seconds", 1));
        assertThat(nothing.body().getJsonArray("items")).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(Duration.ofMillis(900));
    }

    @Test
    @DisplayName(
            "BUS-1 a send timeout shorter than wait_seconds gives the asker up: no problem comes, and nothing is lost")
    void sendTimeout() {
        JsonObject claim = new JsonObject()
                .put("worker_id", "w")
                .put("claim_id", UUID.randomUUID().toString())
                .put("bot_ids", new JsonArray().add("67"))
                .put("wait_seconds", 20);
        Throwable cause = TestDatabase.awaitFailure(
                scene.request(OutboxAddresses.CLAIM, claim, new DeliveryOptions().setSendTimeout(200)));
        assertThat(BusProblem.of(cause)).isEmpty();
        assertThat(((ReplyException) cause).failureType()).isEqualTo(ReplyFailure.TIMEOUT);

        String id = scene.enqueue(BusScene.batch("given-up", "given-up", "67"));
        // Whoever asks again by the same claim id gets what the first claim, which goes on, has taken or will take.
        JsonObject again = claim.copy().put("wait_seconds", 5);
        assertThat(ask(OutboxAddresses.CLAIM, again)
                        .body()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getString("id"))
                .isEqualTo(id);
    }

    @Test
    @DisplayName(
            "BUS-1 a body over 64 KiB is taken as JsonObject and as Buffer, digit by digit; one over the limit is too_large")
    void large() {
        JsonObject large = BusScene.batch("large", "large", "68");
        String text = "x".repeat(200_000);
        large.getJsonArray("parts").getJsonObject(0).put("payload", new JsonObject().put("text", text));
        String id = scene.enqueue(large);
        JsonObject shown = ask(OutboxAddresses.ITEM, BusScene.id(id).put("include", new JsonArray().add("payload")))
                .body();
        assertThat(shown.getJsonObject("payload").getString("text")).isEqualTo(text);

        String digits = "123456789012345678901234567890.10";
        Buffer exact = Buffer.buffer(BusScene.batch("exact", "exact", "68")
                .encode()
                .replace("\"Hello\"", "\"" + text + "\",\"n\":" + digits));
        Message<Buffer> stored =
                TestDatabase.await(scene.<Buffer>request(OutboxAddresses.ENQUEUE, exact, new DeliveryOptions()));
        String exactId = stored.body()
                .toJsonObject()
                .getJsonArray("parts")
                .getJsonObject(0)
                .getString("id");
        Buffer ask = BusScene.id(exactId)
                .put("include", new JsonArray().add("payload"))
                .toBuffer();
        assertThat(TestDatabase.await(scene.<Buffer>request(OutboxAddresses.ITEM, ask, new DeliveryOptions()))
                        .body()
                        .toString())
                .contains(digits);

        Buffer tooLarge = Buffer.buffer(" ".repeat(16 * 1024 * 1024 + 1));
        assertThat(refused(OutboxAddresses.ENQUEUE, tooLarge, new DeliveryOptions())
                        .code())
                .isEqualTo("too_large");
    }

    @Test
    @DisplayName("BUS-1 a traceparent of the message's headers is stored with the batch, as HTTP's is")
    void traceparent() {
        String parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        TestDatabase.await(scene.request(
                OutboxAddresses.ENQUEUE,
                BusScene.batch("traced"),
                new DeliveryOptions().addHeader(OutboxAddresses.TRACEPARENT_HEADER, parent)));
        assertThat(DB.value(String.class, "SELECT traceparent FROM telegram_outbox WHERE batch_id = 'traced'"))
                .isEqualTo(parent);
    }
}
