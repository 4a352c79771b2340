package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.BlockedKey;
import io.tailrace.outbox.OperatorResult;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartState;
import io.tailrace.tenant.Scope;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperatorRoutesIT {
    private static final FakeOutbox OUTBOX = new FakeOutbox();
    private static final EdgeFixture EDGE =
            new EdgeFixture(OUTBOX, new Fakes.Parts(), new Fakes.Memory(), EdgeFixture.config(0));
    private static final String ITEM = "/v1/outbox/items/" + new PartId(7, FakeOutbox.CREATED).opaque();

    @AfterAll
    static void close() {
        EDGE.close();
    }

    @BeforeEach
    void forget() {
        OUTBOX.forget();
        OUTBOX.operator.pauses.clear();
        OUTBOX.operator.result = new OperatorResult.Done(PartState.PENDING, true);
        EDGE.key("sender", null, Scope.OUTBOX);
        EDGE.key("bound", Set.of("8"), Scope.OUTBOX, Scope.OPERATE);
    }

    private static EdgeFixture.Call bare(String path) {
        return EDGE.call("POST", path, new byte[0], null);
    }

    @Test
    @DisplayName("OUT-24 retry takes accept_duplicate_risk, or no body at all; cancel takes none")
    void retryAndCancel() {
        EdgeFixture.Answer retried =
                EDGE.post(ITEM + "/retry", "{\"accept_duplicate_risk\":true}").send();
        assertThat(retried.status()).isEqualTo(200);
        assertThat(retried.json().getString("state")).isEqualTo("pending");
        assertThat(OUTBOX.operator.accepted).isTrue();
        assertThat(bare(ITEM + "/retry").send().status()).isEqualTo(200);
        assertThat(OUTBOX.operator.accepted).isFalse();
        assertThat(bare(ITEM + "/cancel").send().status()).isEqualTo(200);
        assertThat(EDGE.post(ITEM + "/retry", "{\"accept_duplicate_risk\":1}")
                        .bad()
                        .send()
                        .pointer())
                .isEqualTo("/accept_duplicate_risk");
        assertThat(EDGE.post(ITEM + "/retry", "{\"accept\":true}").bad().send().status())
                .isEqualTo(422);
        assertThat(bare("/v1/outbox/items/nonsense/retry").send().status()).isEqualTo(404);
    }

    @ParameterizedTest(name = "OUT-24 what cannot be done is told: {0} is {1}")
    @CsvSource({"not_found, 404", "leased, 409", "duplicate_risk, 409", "day_closed, 409", "wrong_state, 409"})
    void refusals(String code, int status) {
        OUTBOX.operator.result = new OperatorResult.Refused(code, "because");
        EdgeFixture.Answer answer = bare(ITEM + "/retry").send();
        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo(code);
    }

    @Test
    @DisplayName("OUT-24 retry, cancel, pause and resume need the scope operate")
    void scope() {
        for (String path :
                new String[] {ITEM + "/retry", ITEM + "/cancel", "/v1/outbox/bots/7/pause", "/v1/outbox/bots/7/resume"
                }) {
            assertThat(bare(path).key("sender").send().code()).as(path).isEqualTo("forbidden_scope");
        }
    }

    @Test
    @DisplayName("OUT-24 a bot is paused, until a time or until it is resumed, and stats show it")
    void pause() {
        EdgeFixture.Answer paused = EDGE.post("/v1/outbox/bots/7/pause", "{\"until\":\"2026-12-01T12:00:00Z\"}")
                .send();
        assertThat(paused.json().getBoolean("paused")).isTrue();
        assertThat(paused.json().getJsonArray("pauses").getJsonObject(0).getString("until"))
                .isEqualTo("2026-12-01T12:00:00.000000Z");
        EDGE.post("/v1/outbox/bots/7/pause", "{\"until\":null}").send();
        assertThat(EDGE.get("/v1/outbox/stats")
                        .send()
                        .json()
                        .getJsonArray("paused_bots")
                        .getJsonObject(0)
                        .getString("until"))
                .isNull();
        assertThat(bare("/v1/outbox/bots/7/resume").send().json().getBoolean("paused"))
                .isFalse();
        assertThat(EDGE.post("/v1/outbox/bots/7/pause", "{\"until\":\"soon\"}")
                        .bad()
                        .send()
                        .pointer())
                .isEqualTo("/until");
    }

    @Test
    @DisplayName("OUT-12 a key bound to bots acts on their parts only")
    void boundKeys() {
        bare(ITEM + "/retry").key("bound").send();
        assertThat(OUTBOX.operator.bots).containsExactly("8");
        assertThat(bare("/v1/outbox/bots/7/pause").key("bound").send().code()).isEqualTo("forbidden_scope");
        assertThat(bare("/v1/outbox/bots/8/pause").key("bound").send().status()).isEqualTo(200);
        String lease =
                "{\"items\":[{\"id\":\"" + new PartId(7, FakeOutbox.CREATED).opaque() + "\",\"lease_token\":1}]}";
        for (String verb : new String[] {"starts", "renewals", "settlements"}) {
            OUTBOX.forget();
            OUTBOX.bots = null;
            EDGE.post(
                            "/v1/outbox/" + verb,
                            verb.equals("settlements") ? lease.replace(":1}]", ":1,\"outcome\":\"release\"}]") : lease)
                    .key("bound")
                    .send();
            assertThat(OUTBOX.bots).as(verb).containsExactly("8");
        }
    }

    @Test
    @DisplayName("OUT-24 a redrive is tried, ordered, and looked at")
    void redrive() {
        String filter = "{\"filter\":{\"state\":\"dead_letter\",\"bot_id\":\"7\",\"error_class\":\"transient\","
                + "\"since\":\"2026-11-30T00:00:00Z\"},\"rate_per_second\":20,\"dry_run\":true}";
        EdgeFixture.Answer tried = EDGE.post("/v1/outbox/redrives", filter).send();
        assertThat(tried.status()).isEqualTo(200);
        assertThat(tried.json().getInteger("matched")).isEqualTo(120);
        assertThat(tried.json().getString("redrive_id")).isNull();
        EdgeFixture.Answer ordered = EDGE.post("/v1/outbox/redrives", filter.replace("true", "false"))
                .send();
        assertThat(ordered.status()).isEqualTo(202);
        String path = "/v1/outbox/redrives/" + ordered.json().getString("redrive_id");
        assertThat(EDGE.get(path).send().json().getString("status")).isEqualTo("running");
        assertThat(EDGE.get("/v1/outbox/redrives/x").send().status()).isEqualTo(404);
        assertThat(EDGE.get("/v1/outbox/redrives/00000000-0000-0000-0000-000000000000")
                        .send()
                        .status())
                .isEqualTo(404);
        assertThat(EDGE.get(path).key("sender").send().status()).isEqualTo(403);
    }

    @ParameterizedTest(name = "OUT-24 a redrive that makes no sense is refused at {1}: {0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "{}; /filter",
                "{\"filter\":{}}; /filter/state",
                "{\"filter\":{\"state\":\"delivered\"}}; /filter/state",
                "{\"filter\":{\"state\":\"dead\"}}; /filter/state",
                "{\"action\":\"cancel\",\"filter\":{\"state\":\"dead_letter\"}}; /filter/state",
                "{\"action\":\"drop\",\"filter\":{\"state\":\"dead_letter\"}}; /action",
                "{\"filter\":{\"state\":\"dead_letter\"},\"rate_per_second\":101}; /rate_per_second",
                "{\"filter\":{\"state\":\"dead_letter\",\"since\":\"x\"}}; /filter/since"
            })
    void badRedrives(String body, String pointer) {
        EdgeFixture.Answer answer = EDGE.post("/v1/outbox/redrives", body).bad().send();
        assertThat(answer.status()).isEqualTo(422);
        assertThat(answer.pointer()).isEqualTo(pointer);
    }

    @Test
    @DisplayName("OUT-32 blocked keys are listed page by page")
    void blocked() {
        for (int id = 1; id <= 3; id++) {
            OUTBOX.operator.blocked = Stream.concat(
                            OUTBOX.operator.blocked.stream(),
                            Stream.of(new BlockedKey(
                                    new PartId(id, FakeOutbox.CREATED),
                                    "b",
                                    0,
                                    "7",
                                    "k",
                                    PartState.RETRY_WAIT,
                                    3,
                                    "transient",
                                    FakeOutbox.CREATED,
                                    FakeOutbox.CREATED,
                                    1_000)))
                    .toList();
        }
        JsonObject first = EDGE.get("/v1/outbox/blocked?limit=2").send().json();
        assertThat(first.getJsonArray("items")).hasSize(2);
        JsonObject second = EDGE.get("/v1/outbox/blocked?limit=2&cursor=" + first.getString("next"))
                .send()
                .json();
        assertThat(second.getJsonArray("items")).hasSize(1);
        assertThat(second.getString("next")).isNull();
        assertThat(EDGE.get("/v1/outbox/blocked?cursor=x").bad().send().status())
                .isEqualTo(400);
        assertThat(EDGE.get("/v1/outbox/blocked").key("sender").send().status()).isEqualTo(403);
    }
}
