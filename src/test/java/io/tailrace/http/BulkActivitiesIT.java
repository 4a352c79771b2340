package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.ActivityCorpus;
import io.tailrace.testkit.JsonValues;
import io.tailrace.testkit.OpenTransaction;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BulkActivitiesIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static LogFixture log;
    private static EdgeFixture edge;

    @BeforeAll
    static void open() {
        log = new LogFixture(DB, 10);
        edge = log.edge;
    }

    @AfterAll
    static void close() {
        log.close();
    }

    private static EdgeFixture.Answer bulk(List<String> lines) {
        return edge.call(
                        "POST",
                        "/v1/activities",
                        String.join("\n", lines).getBytes(StandardCharsets.UTF_8),
                        "application/x-ndjson")
                .send();
    }

    private static String line(String conversation, String key, String text) {
        return new JsonObject(LogFixture.message(text))
                .put("conversation_id", conversation)
                .put("idempotency_key", key)
                .encode();
    }

    private static List<JsonObject> results(EdgeFixture.Answer answer) {
        return answer.json().getJsonArray("results").stream()
                .map(JsonObject.class::cast)
                .toList();
    }

    @Test
    @DisplayName("ACT-8 200 when every line is stored, also without a last newline, with blank lines and as an array")
    void bulkAll() {
        String conversation = log.conversation();
        EdgeFixture.Answer all = bulk(List.of(
                line(conversation, "1", "a"), "", line(conversation, "2", "b") + "\r", line(conversation, "1", "a")));
        assertThat(all.status()).isEqualTo(200);
        assertThat(results(all)).extracting(it -> it.getInteger("line")).containsExactly(1, 3, 4);
        assertThat(results(all)).extracting(it -> it.getInteger("status")).containsExactly(201, 201, 200);
        assertThat(results(all)).extracting(it -> it.getLong("seq")).containsExactly(1L, 2L, 1L);
        EdgeFixture.Answer array = edge.post(
                        "/v1/activities",
                        "[" + line(conversation, "3", "c") + ",\n " + line(conversation, "4", "d") + "]")
                .bad()
                .send();
        assertThat(array.status()).isEqualTo(200);
        assertThat(results(array)).extracting(it -> it.getLong("seq")).containsExactly(3L, 4L);
    }

    @Test
    @DisplayName("ACT-8 207 when some lines are stored, each answered for itself with its code")
    void bulkMixed() {
        String conversation = log.conversation();
        EdgeFixture.Answer mixed = edge.call(
                        "POST",
                        "/v1/activities",
                        String.join(
                                        "\n",
                                        line(conversation, "1", "a"),
                                        "{\"half",
                                        line(conversation, "1", "other"),
                                        line(LogFixture.nobody(), "2", "b"),
                                        line(conversation, "3", "c").replace("\"sender\"", "\"sendr\""),
                                        line(conversation, "4", "d"))
                                .getBytes(StandardCharsets.UTF_8),
                        "application/x-ndjson")
                .bad()
                .send();
        assertThat(mixed.status()).isEqualTo(207);
        assertThat(results(mixed))
                .extracting(it -> it.getInteger("status"))
                .containsExactly(201, 400, 409, 404, 422, 201);
        assertThat(results(mixed).get(2).getString("code")).isEqualTo("idempotency_conflict");
        assertThat(results(mixed).get(4).getJsonArray("errors").getJsonObject(0).getString("pointer"))
                .isEqualTo("/sendr");
        assertThat(seqs(log.page(conversation, ""))).containsExactly(1L, 2L);
    }

    @Test
    @DisplayName("ACT-8 4xx when no line is stored, with where each is wrong")
    void bulkNone() {
        EdgeFixture.Answer none =
                bulk(List.of(line(LogFixture.nobody(), "1", "a"), line(LogFixture.nobody(), "2", "b")));
        assertThat(none.status()).isEqualTo(404);
        assertThat(none.json().getJsonArray("errors")).hasSize(2);
        assertThat(edge.post("/v1/activities", "[]").bad().send().status()).isEqualTo(422);
        assertThat(edge.post("/v1/activities", "[{},1]").bad().send().pointer()).isEqualTo("/1");
        assertThat(edge.post("/v1/activities", "{}").bad().send().status()).isEqualTo(422);
        assertThat(edge.post("/v1/activities", "[" + "{},".repeat(10_000) + "{}]")
                        .bad()
                        .send()
                        .code())
                .isEqualTo("too_large");
        assertThat(edge.call("POST", "/v1/activities", new byte[0], "application/x-ndjson")
                        .bad()
                        .send()
                        .code())
                .isEqualTo("malformed");
        assertThat(edge.post("/v1/activities", "[{}]")
                        .header("Idempotency-Key", "k")
                        .bad()
                        .send()
                        .code())
                .isEqualTo("invalid_field");
    }

    @Test
    @DisplayName("ACT-8 10,000 lines over several conversations are stored in their order")
    void bulkLarge() {
        List<String> conversations =
                IntStream.range(0, 5).mapToObj(i -> log.conversation()).toList();
        List<String> lines = IntStream.range(0, 10_000)
                .mapToObj(i -> line(conversations.get(i % 5), "k" + i, "n" + i))
                .toList();
        EdgeFixture.Answer all = bulk(lines);
        assertThat(all.status()).as(all.text().substring(0, 200)).isEqualTo(200);
        List<JsonObject> results = results(all);
        assertThat(results).hasSize(10_000);
        for (int i = 0; i < results.size(); i++) {
            assertThat(results.get(i).getLong("seq")).isEqualTo(i / 5 + 1);
        }
        assertThat(bulk(lines.subList(0, 100)).json().getJsonArray("results"))
                .allMatch(it -> ((JsonObject) it).getInteger("status") == 200);
    }

    @Test
    @DisplayName("ACT-19 the corpus comes back as it went in, in order, sent one by one, as lines and as an array")
    void corpus() {
        List<String> bodies = ActivityCorpus.bodies();
        assertThat(bodies).hasSizeGreaterThanOrEqualTo(60);
        String single = log.conversation();
        for (String body : bodies) {
            EdgeFixture.Answer stored = log.append(single, body);
            assertThat(stored.status()).as(body + stored.text()).isEqualTo(201);
        }
        String lines = log.conversation();
        EdgeFixture.Answer byLine = bulk(bodies.stream()
                .map(body -> inBulk(lines, body).replace("\n", " "))
                .toList());
        assertThat(byLine.status()).as(byLine.text()).isEqualTo(200);
        String array = log.conversation();
        EdgeFixture.Answer byArray = edge.post(
                        "/v1/activities",
                        bodies.stream().map(body -> inBulk(array, body)).collect(Collectors.joining(",", "[", "]")))
                .bad()
                .send();
        assertThat(byArray.status()).as(byArray.text()).isEqualTo(200);
        for (String conversation : List.of(single, lines, array)) {
            String page = edge.get(LogFixture.activities(conversation) + "?limit=1000")
                    .send()
                    .text();
            ActivityCorpus.assertSame(JsonValues.of(page), bodies);
        }
    }

    private static String inBulk(String conversation, String body) {
        return body.replaceFirst("\\{", "{\"conversation_id\":\"" + conversation + "\",");
    }

    @Test
    @DisplayName(
            "ACT-8 lines of one conversation keep their order also when they have to wait for its lock, and hold up no others")
    void bulkInOrderBehindALock() throws Exception {
        String locked = log.conversation();
        String free = log.conversation();
        List<String> lines = IntStream.range(0, 3_000)
                .mapToObj(i -> line(i % 2 == 0 ? locked : free, "k" + i, "n" + i))
                .toList();
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try (OpenTransaction holder = new OpenTransaction(DB)) {
            holder.run("SELECT FROM conversations WHERE id = ?::uuid FOR UPDATE", locked);
            Future<EdgeFixture.Answer> answer = caller.submit(() -> bulk(lines));
            Awaitility.await()
                    .atMost(TestDatabase.PATIENCE)
                    .until(() -> DB.number("SELECT last_seq FROM conversations WHERE id = ?::uuid", free) >= 500);
            holder.commit();
            List<JsonObject> results = results(answer.get(30, TimeUnit.SECONDS));
            for (int i = 0; i < results.size(); i++) {
                assertThat(results.get(i).getLong("seq")).as("line " + i).isEqualTo(i / 2 + 1);
            }
        } finally {
            caller.shutdownNow();
        }
    }

    private static List<Long> seqs(JsonObject page) {
        JsonArray items = page.getJsonArray("items");
        return new ArrayList<>(
                items.stream().map(it -> ((JsonObject) it).getLong("seq")).collect(Collectors.toList()));
    }
}
