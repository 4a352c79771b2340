package io.tailrace.testkit;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FakeTelegramIT {
    private static final Vertx vertx = Vertx.vertx();
    // Not Vert.x's client: called from a thread that is not its own, that one now and then never hands out a body.
    private static final HttpClient client = HttpClient.newHttpClient();

    private FakeTelegram telegram;

    private record Answer(int status, String body) {
        JsonObject json() {
            return new JsonObject(body);
        }
    }

    @BeforeEach
    void start() {
        telegram = FakeTelegram.start(vertx, TelegramScript.ok());
    }

    @AfterEach
    void stop() {
        telegram.close();
    }

    @AfterAll
    static void close() {
        await(vertx.close());
    }

    private Answer call(String method, JsonObject payload) {
        return call(method, payload.toBuffer(), "application/json");
    }

    private Answer call(String method, Buffer body, String type) {
        try {
            return send(method, body, type).get(10, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private CompletableFuture<Answer> send(String method, Buffer body, String type) {
        return client.sendAsync(
                        HttpRequest.newBuilder(URI.create(telegram.url() + "/bot7:secret/" + method))
                                .header("content-type", type)
                                .POST(BodyPublishers.ofByteArray(body.getBytes()))
                                .build(),
                        BodyHandlers.ofString())
                .thenApply(response -> new Answer(response.statusCode(), response.body()));
    }

    private static JsonObject text(Object chat, String text) {
        return new JsonObject().put("chat_id", chat).put("text", text);
    }

    @Test
    void answersInTheShapeOfTheMethod() {
        JsonObject first = call("sendMessage", text(1001, "a")).json();
        assertThat(first.getBoolean("ok")).isTrue();
        assertThat(first.getJsonObject("result").getInteger("message_id")).isEqualTo(1);
        assertThat(first.getJsonObject("result").getJsonObject("chat").getString("type"))
                .isEqualTo("private");
        JsonObject second = call("sendMessage", text("-1002", "b")).json();
        assertThat(second.getJsonObject("result").getInteger("message_id")).isEqualTo(1);
        JsonArray album = call(
                        "sendMediaGroup",
                        new JsonObject()
                                .put("chat_id", 1001)
                                .put(
                                        "media",
                                        new JsonArray().add(new JsonObject()).add(new JsonObject())))
                .json()
                .getJsonArray("result");
        assertThat(album).hasSize(2);
        assertThat(album.getJsonObject(1).getInteger("message_id")).isEqualTo(3);
        assertThat(call("setMessageReaction", text(1001, "")).json().getValue("result"))
                .isEqualTo(true);
        assertThat(call("noSuchMethod", text(1001, "")).status()).isEqualTo(404);
    }

    @Test
    void recordsEachChatsCallsInOrder() {
        for (int i = 0; i < 20; i++) {
            call("sendMessage", text(i % 2, "m" + i));
        }
        assertThat(telegram.carriedOut("1"))
                .extracting(call -> call.payload().getString("text"))
                .containsExactly("m1", "m3", "m5", "m7", "m9", "m11", "m13", "m15", "m17", "m19");
        assertThat(telegram.calls().get(0).token()).isEqualTo("7:secret");
    }

    @Test
    void refusesAsTheScriptSays() {
        telegram.play(TelegramScript.of(
                TelegramAnswer.retryAfter(17),
                new TelegramAnswer.TooManyRequests(OptionalInt.empty()),
                TelegramAnswer.chatNotFound(),
                TelegramAnswer.blocked(),
                TelegramAnswer.badGateway()));
        Answer throttled = call("sendMessage", text(1, "x"));
        assertThat(throttled.status()).isEqualTo(429);
        assertThat(throttled.json().getJsonObject("parameters").getInteger("retry_after"))
                .isEqualTo(17);
        assertThat(call("sendMessage", text(1, "x")).json().containsKey("parameters"))
                .isFalse();
        assertThat(call("sendMessage", text(1, "x")).json().getString("description"))
                .isEqualTo("Bad Request: chat not found");
        assertThat(call("sendMessage", text(1, "x")).status()).isEqualTo(403);
        assertThat(call("sendMessage", text(1, "x")).body()).startsWith("<html>");
        assertThat(telegram.carriedOut("1")).isEmpty();
        assertThat(call("sendMessage", text(1, "x")).status()).isEqualTo(200);
        assertThat(telegram.carriedOut("1")).hasSize(1);
    }

    @Test
    void losesAnswersBeforeAndAfterTheCallHadItsEffect() {
        telegram.play(TelegramScript.of(TelegramAnswer.resetBefore(), TelegramAnswer.resetAfter()));
        assertThatThrownBy(() -> call("sendMessage", text(1, "lost"))).hasRootCauseInstanceOf(IOException.class);
        assertThatThrownBy(() -> call("sendMessage", text(1, "there"))).hasRootCauseInstanceOf(IOException.class);
        assertThat(telegram.calls("1")).hasSize(2);
        assertThat(telegram.carriedOut("1"))
                .extracting(call -> call.payload().getString("text"))
                .containsExactly("there");
    }

    @Test
    void hangs() {
        telegram.play(TelegramScript.of(TelegramAnswer.hang()));
        CompletableFuture<Answer> never = send("sendMessage", text(1, "x").toBuffer(), "application/json");
        assertThatThrownBy(() -> never.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(telegram.calls("1")).hasSize(1);
    }

    @Test
    void takesEveryCallOfTheCorpusAsItIs() {
        for (JsonObject part : BotApiCorpus.parts()) {
            String method = part.getString("method_kind");
            Answer answer = call(method, part.getJsonObject("payload"));
            assertThat(answer.status()).as(method).isEqualTo(200);
            assertThat(answer.json().getValue("result")).as(method).isNotNull();
        }
        assertThat(telegram.calls())
                .extracting(FakeTelegram.Call::payload)
                .isEqualTo(BotApiCorpus.parts().stream()
                        .map(part -> part.getJsonObject("payload"))
                        .toList());
    }

    @Test
    void takesUploads() {
        String body = String.join(
                "\r\n",
                List.of(
                        "--b",
                        "Content-Disposition: form-data; name=\"chat_id\"",
                        "",
                        "-100123",
                        "--b",
                        "Content-Disposition: form-data; name=\"reply_markup\"",
                        "",
                        "{\"force_reply\":true}",
                        "--b",
                        "Content-Disposition: form-data; name=\"photo\"; filename=\"a.jpg\"",
                        "Content-Type: image/jpeg",
                        "",
                        "abc",
                        "--b--",
                        ""));
        call("sendPhoto", Buffer.buffer(body), "multipart/form-data; boundary=b");
        FakeTelegram.Call call = telegram.calls("-100123").get(0);
        assertThat(call.files())
                .containsEntry("photo", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assertThat(call.payload().getJsonObject("reply_markup").getBoolean("force_reply"))
                .isTrue();
    }

    @Test
    void aSeedGivesTheSameTroublesHoweverChatsInterleave() {
        TelegramScript one = TelegramScript.seeded(5, 40, TelegramAnswer.blocked(), TelegramAnswer.hang());
        TelegramScript other = TelegramScript.seeded(5, 40, TelegramAnswer.blocked(), TelegramAnswer.hang());
        List<TelegramAnswer> alone = play(one, "a", "a", "a", "a", "a", "a");
        play(other, "b", "b", "b");
        assertThat(play(other, "a", "a", "a", "a", "a", "a")).isEqualTo(alone);
        assertThat(alone).contains(TelegramAnswer.ok());
    }

    private static List<TelegramAnswer> play(TelegramScript script, String... chats) {
        return List.of(chats).stream()
                .map(chat -> script.answer(
                        new FakeTelegram.Call("t", "sendMessage", chat, new JsonObject(), Map.of(), null)))
                .toList();
    }
}
