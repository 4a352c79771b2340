package io.tailrace.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OperatorOnBusIT {
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

    @Test
    @DisplayName("BUS-1 an operator cancels a part and brings it back; what cannot be is refused with HTTP's codes")
    void cancelAndRetry() {
        JsonObject part = BusScene.id(scene.enqueue(BusScene.batch("cancelled")));
        assertThat(ask(OutboxAddresses.CANCEL, part).body())
                .isEqualTo(part.copy().put("state", "cancelled").put("changed", true));
        assertThat(ask(OutboxAddresses.CANCEL, part).body().getBoolean("changed"))
                .isFalse();
        assertThat(ask(OutboxAddresses.RETRY, part.copy().put("accept_duplicate_risk", true))
                        .body())
                .isEqualTo(part.copy().put("state", "pending").put("changed", true));

        assertThat(scene.refused(OutboxAddresses.RETRY, new JsonObject()).json().encode())
                .contains("invalid_field", "/id");
        assertThat(scene.refused(OutboxAddresses.RETRY, part.copy().put("accept", true))
                        .code())
                .isEqualTo("invalid_field");
        assertThat(scene.refused(OutboxAddresses.CANCEL, BusScene.id("nonsense"))
                        .code())
                .isEqualTo("not_found");
        ask(OutboxAddresses.CLAIM, new JsonObject().put("worker_id", "w").put("limit", 256));
        assertThat(scene.refused(OutboxAddresses.CANCEL, part).code()).isEqualTo("leased");
    }

    @Test
    @DisplayName("BUS-1 an operator pauses a bot until then, sees it, and lets it go on")
    void pauseAndResume() {
        JsonObject bot = new JsonObject().put("bot_id", "9");
        String until = "2100-01-01T00:00:00.000000Z";
        JsonObject paused =
                ask(OutboxAddresses.PAUSE, bot.copy().put("until", until)).body();
        assertThat(paused.getBoolean("paused")).isTrue();
        assertThat(paused.getJsonArray("pauses").getJsonObject(0).getString("until"))
                .isEqualTo(until);
        assertThat(ask(OutboxAddresses.STATS, new JsonObject()).body().getJsonArray("paused_bots"))
                .hasSize(1);
        assertThat(ask(OutboxAddresses.RESUME, bot).body())
                .isEqualTo(bot.copy().put("paused", false).put("pauses", new JsonArray()));
        BusProblem nameless = scene.refused(OutboxAddresses.PAUSE, new JsonObject().put("bot_id", ""));
        assertThat(nameless.code()).isEqualTo("invalid_field");
        assertThat(nameless.json().getJsonArray("errors").getJsonObject(0).getString("pointer"))
                .isEqualTo("/bot_id");
    }

    @Test
    @DisplayName("BUS-1 an operator tries a redrive, orders it with 202 and looks how far it is")
    void redrive() {
        ask(OutboxAddresses.CANCEL, BusScene.id(scene.enqueue(BusScene.batch("redriven", "redriven", "70"))));
        JsonObject order = new JsonObject()
                .put("filter", new JsonObject().put("state", "cancelled").put("bot_id", "70"))
                .put("rate_per_second", 100);
        Message<JsonObject> tried = ask(OutboxAddresses.REDRIVE, order.copy().put("dry_run", true));
        assertThat(tried.headers().get("status")).isEqualTo("200");
        assertThat(tried.body().getInteger("matched")).isEqualTo(1);

        Message<JsonObject> ordered = ask(OutboxAddresses.REDRIVE, order);
        assertThat(ordered.headers().get("status")).isEqualTo("202");
        JsonObject id = new JsonObject().put("redrive_id", ordered.body().getString("redrive_id"));
        JsonObject progress = ask(OutboxAddresses.REDRIVE_PROGRESS, id).body();
        assertThat(progress.getString("redrive_id")).isEqualTo(id.getString("redrive_id"));
        assertThat(progress.getInteger("matched")).isEqualTo(1);
        assertThat(scene.refused(OutboxAddresses.REDRIVE_PROGRESS, new JsonObject().put("redrive_id", "none"))
                        .code())
                .isEqualTo("not_found");
        assertThat(scene.refused(
                                OutboxAddresses.REDRIVE,
                                new JsonObject().put("filter", new JsonObject().put("state", "leased")))
                        .code())
                .isEqualTo("invalid_field");
    }

    @Test
    @DisplayName("BUS-1 an operator goes through the keys that others wait behind, page by page")
    void blocked() {
        for (String key : new String[] {"first", "second"}) {
            scene.enqueue(BusScene.batch(key + "-head", key, "71"));
            scene.enqueue(BusScene.batch(key + "-behind", key, "71"));
        }
        ask(OutboxAddresses.CLAIM, new JsonObject().put("worker_id", "w").put("bot_ids", new JsonArray().add("71")));
        JsonObject page =
                ask(OutboxAddresses.BLOCKED, new JsonObject().put("limit", 1)).body();
        assertThat(page.getJsonArray("items")).hasSize(1);
        String cursor = page.getString("next");
        JsonObject next = ask(OutboxAddresses.BLOCKED, new JsonObject().put("cursor", cursor))
                .body();
        assertThat(next.getJsonArray("items")).hasSize(1);
        assertThat(next.getString("next")).isNull();
        assertThat(next.getJsonArray("items").getJsonObject(0).getString("ordering_key"))
                .isNotEqualTo(page.getJsonArray("items").getJsonObject(0).getString("ordering_key"));
        assertThat(scene.refused(OutboxAddresses.BLOCKED, new JsonObject().put("cursor", "another"))
                        .code())
                .isEqualTo("malformed");
    }

    private static String sha256(Buffer bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.getBytes()));
    }

    private static DeliveryOptions upload(String sha256) {
        return new DeliveryOptions()
                .addHeader(OutboxAddresses.SHA256_HEADER, sha256)
                .addHeader(OutboxAddresses.CONTENT_TYPE_HEADER, "image/jpeg");
    }

    @Test
    @DisplayName("BUS-1 a blob goes in and out as its own bytes, with digest and media type in the headers")
    void blobs() throws NoSuchAlgorithmException {
        Buffer bytes = Buffer.buffer(new byte[300_000]).setByte(7, (byte) 1);
        String sha256 = sha256(bytes);
        Message<Buffer> stored =
                TestDatabase.await(scene.<Buffer>request(OutboxAddresses.PUT_BLOB, bytes, upload(sha256)));
        assertThat(stored.headers().get("status")).isEqualTo("201");
        assertThat(stored.body().toJsonObject())
                .isEqualTo(new JsonObject().put("sha256", sha256).put("bytes", 300_000));
        assertThat(TestDatabase.await(scene.<Buffer>request(OutboxAddresses.PUT_BLOB, bytes, upload(sha256)))
                        .headers()
                        .get("status"))
                .isEqualTo("200");

        Message<Buffer> read = TestDatabase.await(scene.<Buffer>request(
                OutboxAddresses.GET_BLOB, new JsonObject().put("sha256", sha256), new DeliveryOptions()));
        assertThat(read.body()).isEqualTo(bytes);
        assertThat(read.headers().get(OutboxAddresses.CONTENT_TYPE_HEADER)).isEqualTo("image/jpeg");

        assertThat(scene.refused(OutboxAddresses.PUT_BLOB, Buffer.buffer("other"), upload(sha256))
                        .code())
                .isEqualTo("invalid_field");
        assertThat(scene.refused(OutboxAddresses.PUT_BLOB, bytes).code()).isEqualTo("invalid_field");
        assertThat(scene.refused(OutboxAddresses.PUT_BLOB, new JsonObject(), upload(sha256))
                        .code())
                .isEqualTo("unsupported_media_type");
        assertThat(scene.refused(OutboxAddresses.GET_BLOB, new JsonObject().put("sha256", "0".repeat(64)))
                        .code())
                .isEqualTo("not_found");
    }
}
