package io.tailrace.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.config.BusConfig;
import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Database;
import io.tailrace.outbox.BlobStore;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.PartListStore;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxOnBusIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final Vertx VERTX = Vertx.vertx();

    private static Database database;
    private static Outbox outbox;
    private static OutboxOnBus bus;

    @BeforeAll
    static void open() {
        database = Database.open(VERTX, DB.config());
        outbox = new Outbox(VERTX, database, OutboxSettings.DEFAULT, new SimpleMeterRegistry());
        bus = TestDatabase.await(OutboxOnBus.start(
                VERTX,
                new BusServices(
                        outbox,
                        new PartListStore(database),
                        new BlobStore(database),
                        new SimpleMeterRegistry(),
                        Duration.ofSeconds(90),
                        VERTX.createSharedWorkerExecutor("bus-test", 2),
                        Future::succeededFuture),
                new BusConfig(true, 2),
                TailraceConfig.defaults(Map.of()).http().limits(),
                2));
    }

    @AfterAll
    static void close() {
        TestDatabase.await(bus.shutdown(Duration.ofSeconds(2)));
        TestDatabase.await(outbox.stop());
        TestDatabase.await(database.close());
        TestDatabase.await(VERTX.close());
    }

    private static Message<JsonObject> ask(String address, JsonObject body) {
        return TestDatabase.await(VERTX.eventBus().<JsonObject>request(address, body));
    }

    private static BusProblem refused(String address, Object body, DeliveryOptions options) {
        return BusProblem.of(TestDatabase.awaitFailure(VERTX.eventBus().request(address, body, options)))
                .orElseThrow();
    }

    private static JsonObject batch(String id) {
        return new JsonObject()
                .put("batch_id", id)
                .put(
                        "parts",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("bot_id", "7")
                                        .put("ordering_key", id)
                                        .put("method_kind", "sendMessage")
                                        .put("payload", new JsonObject().put("text", "Hello"))));
    }

    @Test
    @DisplayName("BUS-1 a part goes in, out and is looked at, each operation at its address in the JSON of HTTP")
    void cycle() {
        Message<JsonObject> stored = ask(OutboxAddresses.ENQUEUE, batch("cycle"));
        assertThat(stored.headers().get("status")).isEqualTo("201");
        assertThat(ask(OutboxAddresses.ENQUEUE, batch("cycle")).headers().get("status"))
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
        ask(OutboxAddresses.ENQUEUE, batch("conflict"));
        JsonObject other = batch("conflict");
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
        DeliveryOptions nobody = new DeliveryOptions().addHeader("tenant", "00000000-0000-0000-0000-0000000000ff");
        JsonObject waiting = new JsonObject().put("worker_id", "w").put("wait_seconds", 1);
        Future<?> first = VERTX.eventBus().request(OutboxAddresses.CLAIM, waiting, nobody);
        Future<?> second = VERTX.eventBus().request(OutboxAddresses.CLAIM, waiting, nobody);
        BusProblem third = refused(OutboxAddresses.CLAIM, waiting, nobody);
        assertThat(third.code()).isEqualTo("overloaded");
        TestDatabase.await(Future.all(first, second));
    }
}
