package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.JsonValues;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ActivitiesOverHttpIT {
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

    private static long stored(String conversation) {
        return DB.number("SELECT count(*) FROM activities WHERE conversation_id = ?", UUID.fromString(conversation));
    }

    @Test
    @DisplayName("ACT-11 a conversation is made, found under its id, deleted, and never there again")
    void conversation() {
        String id = UUID.randomUUID().toString();
        String body = "{\"id\":\"" + id + "\",\"metadata\":{\"n\":1.50}}";
        EdgeFixture.Answer made = edge.post("/v1/conversations", body).send();
        assertThat(made.status()).isEqualTo(201);
        assertThat(made.json().getString("id")).isEqualTo(id);
        assertThat(made.text()).contains("1.50");
        assertThat(edge.post("/v1/conversations", body).send().status()).isEqualTo(200);
        log.append(id, LogFixture.message("one"));
        JsonObject found = edge.get("/v1/conversations/" + id).send().json();
        assertThat(found.getLong("last_seq")).isEqualTo(1);
        assertThat(found.getString("last_activity_at")).isNotNull();

        EdgeFixture.Answer deleted = edge.call("DELETE", "/v1/conversations/" + id, new byte[0], null)
                .send();
        assertThat(deleted.json()).isEqualTo(new JsonObject().put("deleted", true));
        assertThat(edge.get("/v1/conversations/" + id).send().status()).isEqualTo(404);
        assertThat(log.append(id, LogFixture.message("two")).code()).isEqualTo("not_found");
        assertThat(edge.get(LogFixture.activities(id)).send().status()).isEqualTo(404);
        assertThat(edge.call("DELETE", "/v1/conversations/" + id, new byte[0], null)
                        .send()
                        .status())
                .isEqualTo(404);
        EdgeFixture.Answer again = edge.post("/v1/conversations", body).send();
        assertThat(again.status()).isEqualTo(410);
        assertThat(again.code()).isEqualTo("deleted");
        assertThat(edge.post("/v1/conversations", "{\"channel_id\":\"" + id + "\"}")
                        .send()
                        .pointer())
                .isEqualTo("/channel_id");
    }

    @Test
    @DisplayName(
            "API-5 ACT-2 a key in the header, in its synonym or in the body is one key; a replay says that it is one")
    void idempotency() {
        String conversation = log.conversation();
        String path = LogFixture.activities(conversation);
        EdgeFixture.Answer first = edge.post(path, LogFixture.message("once"))
                .header("Idempotency-Key", "k-é")
                .send();
        assertThat(first.status()).isEqualTo(201);
        assertThat(first.headers()).doesNotContainKey("idempotent-replayed");
        String withKey = new JsonObject(LogFixture.message("once"))
                .put("idempotency_key", first.json().getString("idempotency_key"))
                .encode();
        EdgeFixture.Answer inBody = edge.post(path, withKey).send();
        assertThat(inBody.status()).isEqualTo(200);
        assertThat(inBody.headers()).containsEntry("idempotent-replayed", "true");
        assertThat(inBody.json()).isEqualTo(first.json());

        EdgeFixture.Answer bySynonym = edge.post(path, LogFixture.message("twice"))
                .header("x-idempotency-key", "k-2")
                .send();
        assertThat(bySynonym.json().getLong("seq")).isEqualTo(2);
        EdgeFixture.Answer conflict = edge.post(path, LogFixture.message("thrice"))
                .header("Idempotency-Key", "k-2")
                .send();
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.code()).isEqualTo("idempotency_conflict");
        assertThat(conflict.pointer()).isEqualTo("/text");

        assertThat(edge.post(path, withKey)
                        .header("Idempotency-Key", "k-3")
                        .send()
                        .pointer())
                .isEqualTo("/idempotency_key");
        assertThat(edge.post(path, LogFixture.message("x"))
                        .header("Idempotency-Key", "a")
                        .header("x-idempotency-key", "a")
                        .send()
                        .code())
                .isEqualTo("malformed");
        assertThat(edge.post(path, LogFixture.message("x"))
                        .header("Idempotency-Key", "x".repeat(256))
                        .send()
                        .code())
                .isEqualTo("invalid_field");
        assertThat(stored(conversation)).isEqualTo(2);
    }

    @Test
    @DisplayName("ACT-7 a conversation is read by seq, page by page, and a cursor goes to its own list only")
    void pages() {
        String conversation = log.conversation();
        for (int i = 1; i <= 5; i++) {
            log.append(conversation, LogFixture.message("m" + i));
        }
        JsonObject first = log.page(conversation, "?limit=2");
        assertThat(seqs(first)).containsExactly(1L, 2L);
        assertThat(first.getLong("first_available_seq")).isEqualTo(1);
        JsonObject second = log.page(conversation, "?limit=2&cursor=" + first.getString("next"));
        assertThat(seqs(second)).containsExactly(3L, 4L);
        JsonObject third = log.page(conversation, "?limit=2&cursor=" + second.getString("next"));
        assertThat(seqs(third)).containsExactly(5L);
        assertThat(third.getString("next")).isNull();
        assertThat(seqs(log.page(conversation, "?after=3"))).containsExactly(4L, 5L);
        assertThat(seqs(log.page(conversation, "?after=" + Long.MAX_VALUE))).isEmpty();

        String path = LogFixture.activities(log.conversation());
        assertThat(edge.get(path + "?cursor=" + first.getString("next")).send().code())
                .isEqualTo("malformed");
        String own = LogFixture.activities(conversation) + "?cursor=" + first.getString("next");
        assertThat(edge.get(own.substring(0, own.length() - 1) + (own.endsWith("A") ? "B" : "A"))
                        .send()
                        .code())
                .isEqualTo("malformed");
        for (String query : List.of("after=-1", "after=x", "limit=0", "limit=1001", "after=1&after=2", "aftr=1")) {
            assertThat(edge.get(path + "?" + query).send().status()).as(query).isEqualTo(422);
        }
    }

    @Test
    @DisplayName("ACT-14 an activity is found by its id, deleted, and leaves a hole and a free key")
    void deleteOne() {
        String conversation = log.conversation();
        String body = new JsonObject(LogFixture.message("gone"))
                .put("idempotency_key", "k")
                .encode();
        JsonObject stored = log.append(conversation, body).json();
        log.append(conversation, LogFixture.message("stays"));
        String path = "/v1/activities/" + stored.getString("id");
        assertThat(edge.get(path).send().json()).isEqualTo(stored);
        assertThat(edge.call("DELETE", path, new byte[0], null).send().status()).isEqualTo(200);
        assertThat(edge.get(path).send().code()).isEqualTo("not_found");
        assertThat(edge.call("DELETE", path, new byte[0], null).send().status()).isEqualTo(404);
        JsonObject page = log.page(conversation, "");
        assertThat(seqs(page)).containsExactly(2L);
        assertThat(page.getLong("first_available_seq")).isEqualTo(2);
        assertThat(log.append(conversation, body).json().getLong("seq")).isEqualTo(3);
        for (String nothing :
                List.of("x", "..%2Fx", "%27%3B--", UUID.randomUUID().toString(), "0".repeat(36))) {
            assertThat(edge.get("/v1/activities/" + nothing).send().code())
                    .as(nothing)
                    .isEqualTo("not_found");
        }
    }

    @Test
    @DisplayName("ACT-14 a hold refuses deletes with on_hold, and nothing is gone")
    void hold() {
        String conversation = log.conversation();
        String id = log.append(conversation, LogFixture.message("kept")).json().getString("id");
        DB.execute(
                "UPDATE tenants SET retention_hold_until = tailrace_now() + interval '1 hour' WHERE id = ?",
                EdgeFixture.TENANT);
        try {
            for (String path : List.of("/v1/conversations/" + conversation, "/v1/activities/" + id)) {
                EdgeFixture.Answer refused =
                        edge.call("DELETE", path, new byte[0], null).send();
                assertThat(refused.status()).isEqualTo(409);
                assertThat(refused.code()).isEqualTo("on_hold");
                assertThat(edge.get(path).send().status()).isEqualTo(200);
            }
        } finally {
            DB.execute("UPDATE tenants SET retention_hold_until = NULL WHERE id = ?", EdgeFixture.TENANT);
        }
    }

    @Test
    @DisplayName(
            "ACT-19 what goes in by HTTP comes out the same JSON value, by list and by id; past the range it is refused")
    void values() {
        String conversation = log.conversation();
        String metadata = "{\"\":9223372036854775808,\"d\":" + "1234567890".repeat(10)
                + ",\"e\":[1e308,-1e-308,1.10,-0]," + "\"t\":\"\\u0001\\ud83d\\ude00\\u2028\",\"n\":{\"a\":[[],{}]}}";
        String body = "{\"type\":\"t\",\"sender\":\"s\",\"attachments\":[" + metadata + ",null],\"metadata\":"
                + metadata + "}";
        EdgeFixture.Answer stored = log.append(conversation, body);
        assertThat(stored.status()).as(stored.text()).isEqualTo(201);
        String id = stored.json().getString("id");
        for (String answer : List.of(
                edge.get("/v1/activities/" + id).send().text(),
                edge.get(LogFixture.activities(conversation)).send().text())) {
            String found =
                    answer.substring(answer.indexOf("\"metadata\":") + 11, answer.indexOf(",\"idempotency_key\""));
            assertThat(JsonValues.of(found)).isEqualTo(JsonValues.of(metadata));
            String attachments =
                    answer.substring(answer.indexOf("\"attachments\":") + 14, answer.indexOf(",\"metadata\""));
            assertThat(JsonValues.of(attachments)).isEqualTo(JsonValues.of("[" + metadata + ",null]"));
        }
        for (String number : List.of("1e309", "-1e400", "9".repeat(129), "1e-999")) {
            String bad = "{\"type\":\"t\",\"sender\":\"s\",\"metadata\":{\"n\":[" + number + "]}}";
            EdgeFixture.Answer refused =
                    edge.post(LogFixture.activities(conversation), bad).bad().send();
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.code()).isEqualTo("number_out_of_range");
            assertThat(refused.pointer()).isEqualTo("/metadata/n/0");
        }
        assertThat(stored(conversation)).isEqualTo(1);
    }

    private static List<Long> seqs(JsonObject page) {
        JsonArray items = page.getJsonArray("items");
        return new ArrayList<>(
                items.stream().map(it -> ((JsonObject) it).getLong("seq")).collect(Collectors.toList()));
    }
}
