package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.EnqueueResult.StoredPart;
import io.tailrace.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OutboxEnqueueIT {
    private static final UUID OTHER_TENANT = UUID.fromString("10000000-0000-0000-0000-00000000000a");

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        fixture = new OutboxFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
        db.clock().reset();
    }

    @Test
    @DisplayName("OUT-1 the operation id is the published vector")
    void operationId() {
        EnqueueResult.Stored stored = fixture.enqueue("job:42", part("k"), part("k"));
        assertThat(stored.parts())
                .extracting(StoredPart::operationId)
                .containsExactly(
                        "tgop:v1:ac308b1e45dca674ad035b92355ca9ca044784210b0ed7c64d89e3cfa88180df",
                        "tgop:v1:fa1874d2c8a47b35f76ea3b3b4700371c0e2c865490cdbab936ea213a8e59440");
    }

    @Test
    @DisplayName("OUT-1 the operation id of any other tenant begins with the tenant")
    void operationIdOfATenant() throws Exception {
        EnqueueResult.Stored stored = (EnqueueResult.Stored) await(fixture.outbox.enqueue(
                OTHER_TENANT, batch("Ünï/😀", part("k"), part("k").method("sendPhoto"))));
        ByteArrayOutputStream digested = new ByteArrayOutputStream();
        for (String text :
                new String[] {"openplotva:telegram-outbox:v1", OTHER_TENANT.toString(), "Ünï/😀", "sendPhoto"}) {
            digested.write(text.getBytes(StandardCharsets.UTF_8));
            digested.write(0);
        }
        digested.write(ByteBuffer.allocate(4).putInt(1).array());
        byte[] sha256 = MessageDigest.getInstance("SHA-256").digest(digested.toByteArray());
        assertThat(stored.parts().get(1).operationId())
                .isEqualTo("tgop:v1:" + HexFormat.of().formatHex(sha256));
    }

    @Test
    @DisplayName("OUT-3 a repeated enqueue finds its parts; nulls compare as equal, payloads as JSON")
    void replay() {
        EnqueueResult.Stored first = fixture.enqueue(
                "b", part("k").payload("{\"a\":1,\"b\":[1.0,null]}").with(OutboxEnqueueIT::bare), part("k"));
        EnqueueResult.Stored second = fixture.enqueue(
                "b", part("k").payload("{ \"b\": [1.0, null], \"a\": 1 }").with(OutboxEnqueueIT::bare), part("k"));
        assertThat(first.anyInserted()).isTrue();
        assertThat(second.anyInserted()).isFalse();
        assertThat(second.parts())
                .extracting(StoredPart::id)
                .isEqualTo(first.parts().stream().map(StoredPart::id).toList());
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(2);
    }

    private static Batch.Part bare(Batch.Part part) {
        return new Batch.Part(
                part.botId(),
                null,
                null,
                part.orderingKey(),
                null,
                null,
                null,
                part.methodKind(),
                1,
                part.payloadJson(),
                null,
                part.deliveryPolicy(),
                false,
                0,
                null,
                null);
    }

    @Test
    @DisplayName("OUT-3 another available_at, and a payload that a retry replaced, do not matter to a replay")
    void replayOfChangedPart() {
        fixture.enqueue("b", part("k"));
        Claim.Item item = fixture.claimOne();
        fixture.settle(new Settlement.Retry(
                OutboxFixture.lease(item), Duration.ZERO, null, "{\"text\":\"shorter\"}", Settlement.Failure.NONE));
        EnqueueResult.Stored again =
                fixture.enqueue("b", part("k").availableAt(db.clock().now().plusSeconds(3600)));
        assertThat(again.anyInserted()).isFalse();
        assertThat(again.parts().get(0).state()).isEqualTo(PartState.RETRY_WAIT);
        assertThat(fixture.claimOne().id()).isEqualTo(item.id());
    }

    @Test
    @DisplayName("OUT-3 parts are found in every state, the last ones included")
    void replayInTerminalStates() {
        fixture.enqueue("delivered", part("k1"));
        fixture.enqueue("ambiguous", part("k2"));
        fixture.enqueue("dead_letter", part("k3"), part("k3"));
        OutboxFixture.Builder expiring = part("k4").expiresAt(db.clock().now().plusSeconds(10));
        fixture.enqueue("expired", expiring);
        db.clock().advance(Duration.ofSeconds(11));
        for (Claim.Item item : fixture.claim(10)) {
            fixture.start(item);
            fixture.settle(
                    switch (item.batchId()) {
                        case "delivered" -> OutboxFixture.delivered(item);
                        case "ambiguous" -> OutboxFixture.ambiguous(item);
                        default -> OutboxFixture.deadLetter(item);
                    });
        }
        for (String state : new String[] {"delivered", "ambiguous"}) {
            EnqueueResult.Stored again = fixture.enqueue(state, part(state.equals("delivered") ? "k1" : "k2"));
            assertThat(again.anyInserted()).isFalse();
            assertThat(again.parts().get(0).state().wire()).isEqualTo(state);
        }
        EnqueueResult.Stored dead = fixture.enqueue("dead_letter", part("k3"), part("k3"));
        assertThat(dead.anyInserted()).isFalse();
        assertThat(dead.parts())
                .extracting(StoredPart::state)
                .containsExactly(PartState.DEAD_LETTER, PartState.CANCELLED);
        EnqueueResult.Stored expired = fixture.enqueue("expired", expiring);
        assertThat(expired.parts().get(0).state()).isEqualTo(PartState.EXPIRED);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isZero();
    }

    @Test
    @DisplayName("OUT-3 a batch is looked for as far back as the horizon, in whole days, and no further")
    void horizon() {
        OutboxFixture oneDay = new OutboxFixture(db, OutboxFixture.settingsWithHorizon(1));
        try {
            EnqueueResult.Stored first = oneDay.enqueue("b", part("k"));
            db.clock().advance(Duration.ofDays(1));
            EnqueueResult.Stored found = oneDay.enqueue("b", part("k"));
            assertThat(found.anyInserted()).isFalse();
            assertThat(found.parts().get(0).id()).isEqualTo(first.parts().get(0).id());
            db.clock().advance(Duration.ofDays(1));
            assertThat(oneDay.enqueue("b", part("k")).anyInserted()).isTrue();
        } finally {
            oneDay.close();
        }
    }

    @Test
    @DisplayName("OUT-3 a batch belongs to its tenant: another's with the same id is another batch")
    void tenants() {
        fixture.enqueue("b", part("k"));
        EnqueueResult other = await(fixture.outbox.enqueue(OTHER_TENANT, batch("b", part("other"))));
        assertThat(other).isInstanceOfSatisfying(EnqueueResult.Stored.class, stored -> assertThat(stored.anyInserted())
                .isTrue());
        assertThat(await(fixture.outbox.batch(OTHER_TENANT, "b")))
                .singleElement()
                .satisfies(view -> assertThat(view.orderingKey()).isEqualTo("other"));
    }

    @Test
    @DisplayName("OUT-5 only missing parts are inserted, in part order, and ids ascend with part_index")
    void onlyMissing() {
        EnqueueResult.Stored first = fixture.enqueue("b", part("k1"), part("k2"));
        EnqueueResult.Stored second = fixture.enqueue("b", part("k1"), part("k2"), part("k3"), part("k1"));
        assertThat(second.parts()).extracting(StoredPart::inserted).containsExactly(false, false, true, true);
        assertThat(second.parts()).extracting(StoredPart::partIndex).containsExactly(0, 1, 2, 3);
        assertThat(second.parts()).extracting(stored -> stored.id().id()).isSorted();
        assertThat(second.parts().subList(0, 2))
                .extracting(StoredPart::id)
                .isEqualTo(first.parts().stream().map(StoredPart::id).toList());
        assertThat(second.storedParts()).isEqualTo(4);
    }

    @Test
    @DisplayName("OUT-9 the answer lists each part's id, created_at, operation_id, part_index, state and inserted")
    void answer() {
        EnqueueResult.Stored stored = fixture.enqueue("b", part("k"), part("k"));
        assertThat(stored.batchId()).isEqualTo("b");
        for (StoredPart answered : stored.parts()) {
            PartView view = fixture.view(answered.id());
            assertThat(view.operationId()).isEqualTo(answered.operationId());
            assertThat(view.partIndex()).isEqualTo(answered.partIndex());
            assertThat(view.state()).isEqualTo(answered.state()).isEqualTo(PartState.PENDING);
            assertThat(answered.inserted()).isTrue();
        }
    }

    @Test
    @DisplayName("OUT-8 a part whose blob is not stored is refused and nothing of its batch is stored")
    void missingBlob() {
        String sha256 = "ab".repeat(32);
        OutboxFixture.Builder withBlob =
                part("k").with(part -> OutboxFixture.withBlob(part, new Batch.Blob(sha256, "image/jpeg", "a.jpg")));
        assertThat(fixture.tryEnqueue("b", part("k"), withBlob))
                .isInstanceOfSatisfying(EnqueueResult.Refused.class, refused -> {
                    assertThat(refused.code()).isEqualTo("invalid_field");
                    assertThat(refused.pointer()).isEqualTo("/parts/1/blob/sha256");
                });
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isZero();
        db.execute(
                "INSERT INTO telegram_outbox_blobs (tenant_id, sha256, media_type, bytes) VALUES (?, ?, 'image/jpeg', 'x')",
                DEFAULT_TENANT,
                sha256);
        assertThat(fixture.enqueue("b", part("k"), withBlob).anyInserted()).isTrue();
        fixture.deliver(fixture.claimOne());
        assertThat(fixture.claimOne().blob()).isEqualTo(new Batch.Blob(sha256, "image/jpeg", "a.jpg"));
    }
}
