package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartState;
import io.tailrace.outbox.PartView;
import io.tailrace.tenant.Scope;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReaderRoutesIT {
    private static final FakeOutbox OUTBOX = new FakeOutbox();
    private static final Fakes.Parts PARTS = new Fakes.Parts();
    private static final EdgeFixture EDGE = new EdgeFixture(OUTBOX, PARTS, new Fakes.Memory(), EdgeFixture.config(0));
    private static final String ID = new PartId(7, FakeOutbox.CREATED).opaque();

    @AfterAll
    static void close() {
        EDGE.close();
    }

    @BeforeEach
    void forget() {
        OUTBOX.forget();
        PARTS.all.clear();
        EDGE.key("sender", null, Scope.OUTBOX);
        EDGE.key("operator", null, Scope.OPERATE);
        EDGE.key("bound", Set.of("8"), Scope.OUTBOX, Scope.OPERATE);
    }

    @Test
    @DisplayName("OUT-24 payload, receipt and blob are hidden unless they are asked for")
    void hidden() {
        OUTBOX.item = Future.succeededFuture(Optional.of(Fakes.part(7, "7", PartState.DELIVERED)));
        JsonObject plain = EDGE.get("/v1/outbox/items/" + ID).send().json();
        assertThat(plain.fieldNames()).doesNotContain("payload", "receipt", "blob");
        assertThat(plain.getString("state")).isEqualTo("delivered");
        JsonObject all = EDGE.get("/v1/outbox/items/" + ID + "?include=payload,receipt,blob")
                .send()
                .json();
        assertThat(all.getJsonObject("payload").getString("text")).isEqualTo("secret");
        assertThat(all.getJsonObject("receipt").getInteger("message_id")).isEqualTo(5);
        assertThat(all.containsKey("blob")).isTrue();
        EdgeFixture.Answer unknown =
                EDGE.get("/v1/outbox/items/" + ID + "?include=secrets").bad().send();
        assertThat(unknown.status()).isEqualTo(422);
    }

    @Test
    @DisplayName("API-1 a tampered or unknown id is 404")
    void unknownIds() {
        char last = ID.charAt(0) == 'A' ? 'B' : 'A';
        for (String id : List.of(ID, "nonsense", last + ID.substring(1), ID + "A", "..%2F..%2Fetc", "%27%3B--")) {
            assertThat(EDGE.get("/v1/outbox/items/" + id).send().status()).isEqualTo(404);
            assertThat(EDGE.get("/v1/outbox/items/" + id + "/attempts").send().code())
                    .isEqualTo("not_found");
        }
    }

    @Test
    @DisplayName("OUT-24 listing parts needs the scope operate; a sender may look at a part it knows")
    void scopes() {
        OUTBOX.item = Future.succeededFuture(Optional.of(Fakes.part(7, "7", PartState.PENDING)));
        assertThat(EDGE.get("/v1/outbox/items").key("sender").send().code()).isEqualTo("forbidden_scope");
        assertThat(EDGE.get("/v1/outbox/items/" + ID).key("sender").send().status())
                .isEqualTo(200);
        assertThat(EDGE.get("/v1/outbox/items").key("operator").send().status()).isEqualTo(200);
        assertThat(EDGE.post("/v1/outbox/claims", "{\"worker_id\":\"w\"}")
                        .key("operator")
                        .send()
                        .code())
                .isEqualTo("forbidden_scope");
        assertThat(OUTBOX.untouched()).isTrue();
    }

    @Test
    @DisplayName("OUT-12 a key bound to bots sees other bots' parts nowhere")
    void boundKeys() {
        PartView foreign = Fakes.part(7, "7", PartState.PENDING);
        OUTBOX.item = Future.succeededFuture(Optional.of(foreign));
        OUTBOX.attempts = Future.succeededFuture(Optional.of(List.of()));
        OUTBOX.parts = Future.succeededFuture(List.of(foreign, Fakes.part(8, "8", PartState.PENDING)));
        assertThat(EDGE.get("/v1/outbox/items/" + ID).key("bound").send().status())
                .isEqualTo(404);
        assertThat(EDGE.get("/v1/outbox/items/" + ID + "/attempts")
                        .key("bound")
                        .send()
                        .status())
                .isEqualTo(404);
        assertThat(EDGE.get("/v1/outbox/batches/b").key("bound").send().json().getJsonArray("parts"))
                .hasSize(1);
        EDGE.get("/v1/outbox/items").key("bound").send();
        assertThat(PARTS.asked)
                .extracting(it -> it == null ? null : it.botIds())
                .isEqualTo(Set.of("8"));
    }

    @Test
    @DisplayName("API-2 a list goes on by an opaque cursor, each part once, and ends with null")
    void pages() {
        for (int id = 10; id > 0; id--) {
            PARTS.all.add(Fakes.part(id, "7", id % 2 == 0 ? PartState.DEAD_LETTER : PartState.PENDING));
        }
        List<String> seen = new ArrayList<>();
        String next = "";
        int pages = 0;
        do {
            JsonObject page = EDGE.get(
                            "/v1/outbox/items?state=dead_letter&limit=2" + (next.isEmpty() ? "" : "&cursor=" + next))
                    .send()
                    .json();
            page.getJsonArray("items").forEach(it -> seen.add(((JsonObject) it).getString("id")));
            next = page.getString("next");
            pages++;
        } while (next != null);
        assertThat(pages).isEqualTo(3);
        assertThat(seen).hasSize(5).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("API-2 a tampered cursor, or one of another list, is 400")
    void foreignCursors() {
        PARTS.all.add(Fakes.part(2, "7", PartState.PENDING));
        PARTS.all.add(Fakes.part(1, "7", PartState.PENDING));
        String cursor = EDGE.get("/v1/outbox/items?limit=1").send().json().getString("next");
        for (String query : List.of(
                "cursor=" + cursor + "&state=pending",
                "cursor=" + cursor.substring(1) + "A",
                "cursor=" + (cursor.charAt(0) == 'A' ? "B" : "A") + cursor.substring(1),
                "cursor=x",
                "cursor=" + "_".repeat(32),
                "cursor=")) {
            EdgeFixture.Answer answer =
                    EDGE.get("/v1/outbox/items?" + query).bad().send();
            assertThat(answer.status()).as(query).isEqualTo(400);
            assertThat(answer.code()).isEqualTo("malformed");
        }
        EDGE.key("bound7", Set.of("7"), Scope.OPERATE);
        assertThat(EDGE.get("/v1/outbox/items?cursor=" + cursor)
                        .key("bound7")
                        .send()
                        .status())
                .isEqualTo(400);
    }

    @Test
    @DisplayName("API-1 a query parameter that is unknown, repeated or out of bounds is 422")
    void badQueries() {
        for (String query : List.of(
                "sate=dead_letter",
                "state=dead",
                "limit=0",
                "limit=501",
                "limit=x",
                "limit=1&limit=2",
                "state=%27%3B--")) {
            EdgeFixture.Answer answer =
                    EDGE.get("/v1/outbox/items?" + query).bad().send();
            assertThat(answer.status()).as(query).isEqualTo(422);
            assertThat(answer.json().getJsonArray("errors").getJsonObject(0).getString("in"))
                    .startsWith("query ");
        }
        assertThat(EDGE.get("/v1/outbox/items?sate=x").bad().send().json().getString("detail"))
                .contains("did you mean state?");
    }

    @Test
    @DisplayName("OUT-9 a batch shows its parts; an unknown one is 404")
    void batch() {
        assertThat(EDGE.get("/v1/outbox/batches/a%2Fb").send().status()).isEqualTo(404);
        OUTBOX.parts = Future.succeededFuture(List.of(Fakes.part(7, "7", PartState.DELIVERED)));
        JsonObject batch =
                EDGE.get("/v1/outbox/batches/dialog-answer:v1%2F7:42").send().json();
        assertThat(batch.getString("batch_id")).isEqualTo("dialog-answer:v1/7:42");
        assertThat(batch.getJsonArray("parts").getJsonObject(0).getJsonArray("message_ids"))
                .containsExactly("5");
    }

    @Test
    @DisplayName("OUT-30 stats show depth by state and the age of the oldest claimable part")
    void stats() {
        JsonObject stats = EDGE.get("/v1/outbox/stats").send().json();
        assertThat(stats.getJsonObject("depth").getInteger("pending")).isEqualTo(2);
        assertThat(stats.getInteger("oldest_claimable_age_ms")).isEqualTo(1_500);
    }

    @Test
    @DisplayName("API-1 the document is served without a key, as YAML and as JSON")
    void document() {
        assertThat(EDGE.get("/v1/openapi.json").key("").send().json().getString("openapi"))
                .isEqualTo("3.1.0");
        assertThat(EDGE.get("/v1/openapi.yaml").key("").send().text()).startsWith("openapi: 3.1.0");
    }

    @Test
    @DisplayName("API-1 an unknown address is 404, a wrong method 405 with Allow")
    void unknownAddresses() {
        assertThat(EDGE.get("/v1/nothing").bad().send().code()).isEqualTo("not_found");
        EdgeFixture.Answer wrong = EDGE.get("/v1/outbox/claims").bad().send();
        assertThat(wrong.status()).isEqualTo(405);
        assertThat(wrong.headers().get("allow")).isEqualTo("POST");
    }
}
