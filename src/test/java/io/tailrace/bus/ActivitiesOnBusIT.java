package io.tailrace.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ActivityCorpus;
import io.tailrace.testkit.JsonValues;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ActivitiesOnBusIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static BusScene scene;

    @BeforeAll
    static void open() {
        scene = new BusScene(DB.config(), 100);
    }

    @AfterAll
    static void close() {
        scene.close();
    }

    private static Message<JsonObject> ask(String address, JsonObject body) {
        return scene.ask(address, body);
    }

    private static String conversation() {
        return ask(ActivityAddresses.CREATE_CONVERSATION, new JsonObject())
                .body()
                .getString("id");
    }

    private static JsonObject message(String conversation, String key, String text) {
        return new JsonObject()
                .put("conversation_id", conversation)
                .put("type", "message")
                .put("sender", "user-1")
                .put("text", text)
                .put("idempotency_key", key);
    }

    private static String status(Message<?> message) {
        return String.valueOf(message.headers().get(OutboxAddresses.STATUS_HEADER));
    }

    @Test
    @DisplayName("BUS-1 a conversation is made, written, read and deleted over the bus, with HTTP's answers and codes")
    void lifeOfAConversation() {
        String conversation = conversation();
        Message<JsonObject> stored = ask(ActivityAddresses.APPEND, message(conversation, "k", "Hello"));
        assertThat(status(stored)).isEqualTo("201");
        assertThat(stored.body().getLong("seq")).isEqualTo(1);
        Message<JsonObject> again = ask(ActivityAddresses.APPEND, message(conversation, "k", "Hello"));
        assertThat(status(again)).isEqualTo("200");
        assertThat(again.body()).isEqualTo(stored.body());
        BusProblem conflict = scene.refused(ActivityAddresses.APPEND, message(conversation, "k", "Bye"));
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.json().encode()).contains("idempotency_conflict", "/text");

        ask(ActivityAddresses.APPEND, message(conversation, "l", "two"));
        JsonObject page = new JsonObject().put("conversation_id", conversation).put("limit", 1);
        JsonObject first = ask(ActivityAddresses.LIST, page).body();
        assertThat(first.getJsonArray("items").getJsonObject(0)).isEqualTo(stored.body());
        JsonObject second = ask(ActivityAddresses.LIST, page.copy().put("cursor", first.getString("next")))
                .body();
        assertThat(second.getJsonArray("items").getJsonObject(0).getLong("seq")).isEqualTo(2);
        assertThat(second.getString("next")).isNull();
        assertThat(ask(ActivityAddresses.LIST, page.copy().put("after", 1))
                        .body()
                        .getJsonArray("items"))
                .isEqualTo(second.getJsonArray("items"));

        JsonObject id = BusScene.id(stored.body().getString("id"));
        assertThat(ask(ActivityAddresses.GET, id).body()).isEqualTo(stored.body());
        assertThat(ask(ActivityAddresses.DELETE, id).body().getBoolean("deleted"))
                .isTrue();
        assertThat(scene.refused(ActivityAddresses.GET, id).code()).isEqualTo("not_found");
        JsonObject whole = BusScene.id(conversation);
        assertThat(ask(ActivityAddresses.GET_CONVERSATION, whole).body().getLong("last_seq"))
                .isEqualTo(2);
        assertThat(ask(ActivityAddresses.DELETE_CONVERSATION, whole).body().getBoolean("deleted"))
                .isTrue();
        assertThat(scene.refused(ActivityAddresses.GET_CONVERSATION, whole).code())
                .isEqualTo("not_found");
        assertThat(scene.refused(ActivityAddresses.CREATE_CONVERSATION, whole).code())
                .isEqualTo("deleted");
    }

    @Test
    @DisplayName(
            "BUS-1 ACT-8 many in one message, as items or as a Buffer of an array: 200, 207, or a problem when none is")
    void bulk() {
        String conversation = conversation();
        JsonArray lines = new JsonArray()
                .add(message(conversation, "1", "a"))
                .add(message(UUID.randomUUID().toString(), "2", "b"));
        Message<JsonObject> mixed = ask(ActivityAddresses.BULK, new JsonObject().put("items", lines));
        assertThat(status(mixed)).isEqualTo("207");
        assertThat(mixed.body().getJsonArray("results").getJsonObject(1).getString("code"))
                .isEqualTo("not_found");
        Message<Buffer> all = TestDatabase.await(scene.<Buffer>request(
                ActivityAddresses.BULK,
                new JsonArray().add(message(conversation, "3", "c")).toBuffer(),
                new DeliveryOptions()));
        assertThat(status(all)).isEqualTo("200");
        assertThat(all.body()
                        .toJsonObject()
                        .getJsonArray("results")
                        .getJsonObject(0)
                        .getLong("seq"))
                .isEqualTo(2);
        assertThat(scene.refused(ActivityAddresses.BULK, new JsonObject())
                        .json()
                        .encode())
                .contains("invalid_field", "/items");
        assertThat(scene.refused(
                                ActivityAddresses.BULK,
                                new JsonObject().put("items", new JsonArray().add(lines.getJsonObject(1))))
                        .code())
                .isEqualTo("not_found");
    }

    @Test
    @DisplayName("BUS-1 what is not right is refused with its pointer, and of another tenant nothing is there")
    void refused() {
        String conversation = conversation();
        JsonObject misspelt = message(conversation, "k", "x");
        misspelt.put("sendr", misspelt.remove("sender"));
        assertThat(scene.refused(ActivityAddresses.APPEND, misspelt).json().encode())
                .contains("invalid_field", "/sendr");
        assertThat(scene.refused(ActivityAddresses.APPEND, new JsonObject())
                        .json()
                        .encode())
                .contains("/conversation_id");
        assertThat(scene.refused(ActivityAddresses.LIST, new JsonObject())
                        .json()
                        .encode())
                .contains("/conversation_id");
        assertThat(scene.refused(ActivityAddresses.GET, BusScene.id("../x")).code())
                .isEqualTo("not_found");
        UUID other = UUID.randomUUID();
        DB.execute("INSERT INTO tenants (id, name) VALUES (?, ?)", other, other.toString());
        DeliveryOptions theirs = new DeliveryOptions().addHeader(OutboxAddresses.TENANT_HEADER, other.toString());
        String id = ask(ActivityAddresses.APPEND, message(conversation, "k", "x"))
                .body()
                .getString("id");
        for (String address : List.of(ActivityAddresses.GET, ActivityAddresses.DELETE)) {
            assertThat(scene.refused(address, BusScene.id(id), theirs).code()).isEqualTo("not_found");
        }
        for (String address : List.of(ActivityAddresses.GET_CONVERSATION, ActivityAddresses.DELETE_CONVERSATION)) {
            assertThat(scene.refused(address, BusScene.id(conversation), theirs).code())
                    .isEqualTo("not_found");
        }
        assertThat(scene.refused(ActivityAddresses.APPEND, message(conversation, "m", "y"), theirs)
                        .code())
                .isEqualTo("not_found");
        assertThat(scene.refused(ActivityAddresses.LIST, new JsonObject().put("conversation_id", conversation), theirs)
                        .code())
                .isEqualTo("not_found");
    }

    @Test
    @DisplayName("BUS-3 what was appended is published, once it is committed, and a replay is not")
    void appended() throws InterruptedException {
        LinkedBlockingQueue<JsonObject> heard = new LinkedBlockingQueue<>();
        var consumer = scene.vertx
                .eventBus()
                .<JsonObject>consumer(ActivityAddresses.APPENDED_EVENT, message -> heard.add(message.body()));
        TestDatabase.await(consumer.completion());
        String conversation = conversation();
        JsonObject stored =
                ask(ActivityAddresses.APPEND, message(conversation, "k", "one")).body();
        ask(ActivityAddresses.APPEND, message(conversation, "k", "one"));
        ask(ActivityAddresses.APPEND, message(conversation, "l", "two"));
        JsonObject first = heard.poll(10, TimeUnit.SECONDS);
        assertThat(first)
                .isEqualTo(new JsonObject()
                        .put("tenant_id", stored.getString("tenant_id"))
                        .put("conversation_id", conversation)
                        .put("id", stored.getString("id"))
                        .put("seq", 1L)
                        .put("type", "message"));
        JsonObject second = Objects.requireNonNull(heard.poll(10, TimeUnit.SECONDS));
        assertThat(second.getLong("seq")).isEqualTo(2);
        TestDatabase.await(consumer.unregister());
    }

    @Test
    @DisplayName("ACT-19 BUS-1 the corpus over the bus comes back as it went in, in order")
    void corpus() {
        String conversation = conversation();
        List<String> bodies = ActivityCorpus.bodies();
        for (String body : bodies) {
            Message<Buffer> stored = TestDatabase.await(scene.<Buffer>request(
                    ActivityAddresses.APPEND,
                    Buffer.buffer(body.replaceFirst("\\{", "{\"conversation_id\":\"" + conversation + "\",")),
                    new DeliveryOptions()));
            assertThat(status(stored)).as(body).isEqualTo("201");
        }
        Buffer page = TestDatabase.await(scene.<Buffer>request(
                        ActivityAddresses.LIST,
                        new JsonObject()
                                .put("conversation_id", conversation)
                                .put("limit", 1_000)
                                .toBuffer(),
                        new DeliveryOptions()))
                .body();
        ActivityCorpus.assertSame(JsonValues.of(page.toString()), bodies);
    }
}
