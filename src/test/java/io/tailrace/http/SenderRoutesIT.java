package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.db.DatabaseFailure;
import io.tailrace.outbox.Batch;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.LeaseResult;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.Settlement;
import io.tailrace.tenant.Scope;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SenderRoutesIT {
    private static final FakeOutbox OUTBOX = new FakeOutbox();
    private static final EdgeFixture EDGE =
            new EdgeFixture(OUTBOX, new Fakes.Parts(), new Fakes.Memory(), EdgeFixture.config(0));
    private static final PartId ID = new PartId(7, FakeOutbox.CREATED);

    static final String FULL = """
            {"batch_id":"dialog-answer:v1:7:42","parts":[
              {"bot_id":"7","chat_id":"1001","thread_id":null,"ordering_key":"dialog:7:1001:0","method_kind":"sendMessage",
               "payload_version":1,"payload":{"chat_id":1001,"text":"Hello"},"delivery_policy":"create","protected":true,
               "priority":0,"available_at":null,"expires_at":"2026-12-01T00:00:00+03:00","causation_update_id":null,
               "dialog_job_id":42,"trigger_message_id":null,"blob":null}]}""";

    @AfterAll
    static void close() {
        EDGE.close();
    }

    @BeforeEach
    void forget() {
        OUTBOX.forget();
    }

    @Test
    @DisplayName("API-2 an enqueue is answered 201 with ids as strings and times in microseconds")
    void enqueue() {
        EdgeFixture.Answer answer = EDGE.post("/v1/outbox/batches", FULL).send();
        assertThat(answer.status()).isEqualTo(201);
        JsonObject part = answer.json().getJsonArray("parts").getJsonObject(0);
        assertThat(part.getString("created_at")).isEqualTo("2026-11-30T20:41:26.123456Z");
        assertThat(PartId.parse(part.getString("id"))).isPresent();
        Batch.Part stored = OUTBOX.batches.get(0).parts().get(0);
        assertThat(stored.dialogJobId()).isEqualTo("42");
        assertThat(stored.expiresAt()).isEqualTo(Instant.parse("2026-11-30T21:00:00Z"));
        assertThat(stored.isProtected()).isTrue();
    }

    @Test
    @DisplayName("API-2 a payload passes through digit by digit and character by character")
    void payloadIsUntouched() {
        String payload = "{\"n\": 123456789012345678901234567890.1234567890, \"small\":1.10, \"e\":1E+2,"
                + "\"text\":\"\\ud83d\\ude00 \u00e9 \u05d0\\n\" }";
        String body = FULL.replace("{\"chat_id\":1001,\"text\":\"Hello\"}", payload);
        assertThat(EDGE.post("/v1/outbox/batches", body).send().status()).isEqualTo(201);
        assertThat(OUTBOX.batches.get(0).parts().get(0).payloadJson()).isEqualTo(payload);

        OUTBOX.claimed = Future.succeededFuture(List.of(Fakes.claimed(1, payload)));
        EdgeFixture.Answer claimed =
                EDGE.post("/v1/outbox/claims", "{\"worker_id\":\"w\"}").send();
        assertThat(claimed.text()).contains("\"payload\":" + payload);
    }

    @Test
    @DisplayName("OUT-3 a replay is answered 200, OUT-4 a conflict 409 with the field's pointer")
    void replayAndConflict() {
        OUTBOX.enqueue = batch -> Future.succeededFuture(new EnqueueResult.Stored(batch.batchId(), 1, List.of()));
        assertThat(EDGE.post("/v1/outbox/batches", FULL).send().status()).isEqualTo(200);
        OUTBOX.enqueue = batch ->
                Future.succeededFuture(new EnqueueResult.Refused("idempotency_conflict", "/parts/0/priority", "was 0"));
        EdgeFixture.Answer conflict = EDGE.post("/v1/outbox/batches", FULL).send();
        assertThat(conflict.status()).isEqualTo(409);
        assertThat(conflict.code()).isEqualTo("idempotency_conflict");
        assertThat(conflict.pointer()).isEqualTo("/parts/0/priority");
    }

    @Test
    @DisplayName("API-5 Idempotency-Key or its synonym names a batch that has no batch_id of its own")
    void idempotencyKey() {
        String body = FULL.replace("\"batch_id\":\"dialog-answer:v1:7:42\",", "");
        assertThat(EDGE.post("/v1/outbox/batches", body)
                        .header("Idempotency-Key", "k-1")
                        .send()
                        .status())
                .isEqualTo(201);
        assertThat(EDGE.post("/v1/outbox/batches", body)
                        .header("x-idempotency-key", "k-2")
                        .send()
                        .status())
                .isEqualTo(201);
        assertThat(OUTBOX.batches).extracting(Batch::batchId).containsExactly("k-1", "k-2");
        EdgeFixture.Answer differs = EDGE.post("/v1/outbox/batches", FULL)
                .header("Idempotency-Key", "another")
                .send();
        assertThat(differs.status()).isEqualTo(422);
        assertThat(differs.pointer()).isEqualTo("/batch_id");
    }

    @Test
    @DisplayName("API-7 a valid traceparent goes along, an invalid one is ignored")
    void traceparent() {
        String valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        for (String sent : List.of(valid, "junk", "00-" + "0".repeat(32) + "-00f067aa0ba902b7-01", valid + "-x")) {
            assertThat(EDGE.post("/v1/outbox/batches", FULL)
                            .header("traceparent", sent)
                            .send()
                            .status())
                    .isEqualTo(201);
        }
        assertThat(OUTBOX.batches).extracting(Batch::traceparent).containsExactly(valid, null, null, null);
    }

    @Test
    @DisplayName("API-7 NDJSON: each line is a batch, stored and answered for itself, the last without a newline too")
    void ndjson() {
        String line = new JsonObject(FULL).encode();
        String body = line + "\n\n{\"parts\":[]}\n" + line;
        EdgeFixture.Answer mixed = EDGE.call(
                        "POST", "/v1/outbox/batches", body.getBytes(StandardCharsets.UTF_8), "application/x-ndjson")
                .bad()
                .send();
        assertThat(mixed.status()).isEqualTo(207);
        List<JsonObject> lines = mixed.text().lines().map(JsonObject::new).toList();
        assertThat(lines).extracting(it -> it.getInteger("line")).containsExactly(1, 3, 4);
        assertThat(lines).extracting(it -> it.getInteger("status")).containsExactly(201, 422, 201);
        assertThat(OUTBOX.batches).hasSize(2);
        String good = (line + "\n").repeat(300);
        assertThat(EDGE.call(
                                "POST",
                                "/v1/outbox/batches",
                                good.getBytes(StandardCharsets.UTF_8),
                                "application/x-ndjson")
                        .send()
                        .status())
                .isEqualTo(200);
        assertThat(OUTBOX.batches).hasSize(302);
    }

    @Test
    @DisplayName("OUT-12 a key bound to bots enqueues and claims for these only")
    void boundKeys() {
        EDGE.key("bound", Set.of("7", "8"), Scope.OUTBOX);
        assertThat(EDGE.post("/v1/outbox/batches", FULL).key("bound").send().status())
                .isEqualTo(201);
        EdgeFixture.Answer other = EDGE.post("/v1/outbox/batches", FULL.replace("\"bot_id\":\"7\"", "\"bot_id\":9"))
                .key("bound")
                .send();
        assertThat(other.status()).isEqualTo(403);
        assertThat(other.pointer()).isEqualTo("/parts/0/bot_id");
        assertThat(OUTBOX.batches).hasSize(1);

        EDGE.post("/v1/outbox/claims", "{\"worker_id\":\"w\"}").key("bound").send();
        assertThat(OUTBOX.claims.get(0).botIds()).containsExactlyInAnyOrder("7", "8");
        EdgeFixture.Answer foreign = EDGE.post("/v1/outbox/claims", "{\"worker_id\":\"w\",\"bot_ids\":[7,9]}")
                .key("bound")
                .send();
        assertThat(foreign.status()).isEqualTo(403);
        assertThat(foreign.pointer()).isEqualTo("/bot_ids/1");
        assertThat(OUTBOX.claims).hasSize(1);
    }

    @Test
    @DisplayName("OUT-13 a claim hands on what it was asked, with the defaults")
    void claim() {
        EDGE.post("/v1/outbox/claims", "{\"worker_id\":\"w\"}").send();
        EDGE.post("/v1/outbox/claims", """
                {"worker_id":"w","claim_id":"5f0c6f5e-5f0d-4c3e-9d36-0d1a2b3c4d5e","limit":256,"bot_ids":["7",8],
                 "lease_seconds":900,"wait_seconds":30}""").send();
        assertThat(OUTBOX.claims.get(0).lease()).isEqualTo(Duration.ofSeconds(90));
        assertThat(OUTBOX.claims.get(0).botIds()).isNull();
        assertThat(OUTBOX.claims.get(1).botIds()).containsExactly("7", "8");
        assertThat(OUTBOX.claims.get(1).waitFor()).isEqualTo(Duration.ofSeconds(30));
        assertThat(OUTBOX.claims.get(1).claimId()).isNotNull();
    }

    @Test
    @DisplayName("OUT-18 each settlement is read with its outcome, and answered for itself")
    void settle() {
        OUTBOX.lease = lease -> lease.token() == 2
                ? new LeaseResult.Refused(lease.id(), "lease_lost", "the lease is over")
                : new LeaseResult.Done(lease.id(), io.tailrace.outbox.PartState.DELIVERED, false, null);
        JsonArray items = new JsonArray();
        List<String> endings = List.of(
                "'outcome':'delivered','message_ids':[5,'6'],'receipt':{'a':1.0},'response_kind':'message'",
                "'outcome':'retry','delay_ms':1500,'error_class':'transient','error':'x','http_status':502,'payload':{}",
                "'outcome':'retry','retry_after_seconds':17,'http_status':429,'throttle_scope':'bot'",
                "'outcome':'retry','http_status':429",
                "'outcome':'release'",
                "'outcome':'ambiguous','error':'x'",
                "'outcome':'dead_letter','error_class':'terminal_bad_request'",
                "'outcome':'retry','retry_at':'2026-12-01T00:00:00Z'");
        for (int i = 0; i < endings.size(); i++) {
            items.add(new JsonObject("{\"id\":\"" + new PartId(i + 1, FakeOutbox.CREATED).opaque()
                    + "\",\"lease_token\":" + (i + 1) + "," + endings.get(i).replace('\'', '"') + "}"));
        }
        items.add(new JsonObject().put("id", "tampered").put("lease_token", 1).put("outcome", "release"));
        EdgeFixture.Answer answer = EDGE.post(
                        "/v1/outbox/settlements",
                        new JsonObject().put("items", items).encode())
                .send();
        assertThat(answer.status()).isEqualTo(207);
        JsonArray results = answer.json().getJsonArray("results");
        assertThat(results.getJsonObject(0).getBoolean("ok")).isTrue();
        assertThat(results.getJsonObject(1).getString("code")).isEqualTo("lease_lost");
        assertThat(results.getJsonObject(8).getString("code")).isEqualTo("not_found");
        assertThat(OUTBOX.settlements).hasSize(8);
        assertThat(((Settlement.Delivered) OUTBOX.settlements.get(0)).messageIds())
                .containsExactly("5", "6");
        assertThat(((Settlement.Delivered) OUTBOX.settlements.get(0)).receiptJson())
                .isEqualTo("{\"a\":1.0}");
        assertThat(((Settlement.Retry) OUTBOX.settlements.get(1)).delay()).isEqualTo(Duration.ofMillis(1_500));
        Settlement.Throttled throttled = (Settlement.Throttled) OUTBOX.settlements.get(2);
        assertThat(throttled.wholeBot()).isTrue();
        assertThat(throttled.retryAfter()).isEqualTo(Duration.ofSeconds(17));
        assertThat(((Settlement.Throttled) OUTBOX.settlements.get(3)).retryAfter())
                .isNull();
        assertThat(OUTBOX.settlements.get(4)).isInstanceOf(Settlement.Release.class);
        assertThat(((Settlement.Retry) OUTBOX.settlements.get(7)).retryAt()).isEqualTo("2026-12-01T00:00:00Z");
    }

    @Test
    @DisplayName("OUT-21 starts and renewals name leases by id and token")
    void startsAndRenewals() {
        String items = "{\"items\":[{\"id\":\"" + ID.opaque() + "\",\"lease_token\":3}]";
        assertThat(EDGE.post("/v1/outbox/starts", items + "}").send().status()).isEqualTo(200);
        EdgeFixture.Answer renewed = EDGE.post("/v1/outbox/renewals", items + ",\"lease_seconds\":10}")
                .send();
        assertThat(renewed.json().getJsonArray("results").getJsonObject(0).getString("leased_until"))
                .isEqualTo("2026-11-30T20:41:36.123456Z");
        assertThat(OUTBOX.leases).containsExactly(new Lease(ID, 3), new Lease(ID, 3));
    }

    @Test
    @DisplayName("API-1 trouble below is a 503 with its code and Retry-After, and never says how it is made")
    void trouble() {
        for (DatabaseFailure.Kind kind : DatabaseFailure.Kind.values()) {
            OUTBOX.enqueue = batch -> Future.failedFuture(new DatabaseFailure(kind, "SELECT secret", null));
            EdgeFixture.Answer answer = EDGE.post("/v1/outbox/batches", FULL).send();
            assertThat(answer.code())
                    .isEqualTo(
                            switch (kind) {
                                case UNAVAILABLE -> "database_unavailable";
                                case OUTCOME_UNKNOWN -> "outcome_unknown";
                                case PARTITION_MISSING -> "partition_missing";
                                case OVERLOADED, OUT_OF_RESOURCES, LOCK_TIMEOUT, CANCELLED, TRY_AGAIN -> "overloaded";
                                case BAD_VALUE -> "invalid_field";
                                case UNIQUE_VIOLATION, CHECK_VIOLATION, WRONG_STATE, OTHER -> "internal";
                            });
            assertThat(answer.text()).doesNotContain("SELECT").doesNotContain("Exception");
            assertThat(answer.headers().containsKey("retry-after")).isEqualTo(answer.status() == 503);
        }
    }
}
