package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.part;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.EnqueueResult.StoredPart;
import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class OutboxReplayRulesIT {
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

    /** A part like the stored one but for one field. */
    interface Change {
        OutboxFixture.Builder to(OutboxFixture.Builder part);
    }

    static Stream<Arguments> changes() {
        return Stream.of(
                change("method_kind", part -> part.method("sendPhoto")),
                change("bot_id", part -> part.bot("8")),
                change("chat_id", part -> part.with(p -> OutboxFixture.ids(p, "1002", null, null, "42", null))),
                change("chat_id", part -> part.with(p -> OutboxFixture.ids(p, null, null, null, "42", null))),
                change("thread_id", part -> part.with(p -> OutboxFixture.ids(p, "1001", "5", null, "42", null))),
                change(
                        "causation_update_id",
                        part -> part.with(p -> OutboxFixture.ids(p, "1001", null, "9", "42", null))),
                change("dialog_job_id", part -> part.with(p -> OutboxFixture.ids(p, "1001", null, null, null, null))),
                change(
                        "trigger_message_id",
                        part -> part.with(p -> OutboxFixture.ids(p, "1001", null, null, "42", "3"))),
                change("payload_version", part -> part.with(p -> OutboxFixture.flags(p, 2, true))),
                change("payload", part -> part.payload("{\"chat_id\":1001,\"text\":\"hello\"}")),
                change("protected", part -> part.with(p -> OutboxFixture.flags(p, 1, false))),
                change("delivery_policy", part -> part.policy(DeliveryPolicy.FINANCIAL)),
                change("priority", part -> part.priority(1)),
                change("expires_at", part -> part.expiresAt(OutboxFixture.SOME_DAY.plusSeconds(7200))),
                change(
                        "blob/sha256",
                        part -> part.with(
                                p -> OutboxFixture.withBlob(p, new Batch.Blob("ab".repeat(32), null, null)))));
    }

    private static Arguments change(String field, Change change) {
        return Arguments.of(field, change);
    }

    @ParameterizedTest(name = "OUT-4 another {0} is a conflict that names it, and nothing is written")
    @MethodSource("changes")
    void conflict(String field, Change change) {
        fixture.enqueue("b", part("k"), part("k"));
        EnqueueResult result = fixture.tryEnqueue("b", part("k"), change.to(part("k")), part("k"));
        assertThat(result).isInstanceOfSatisfying(EnqueueResult.Refused.class, refused -> {
            assertThat(refused.code()).isEqualTo("idempotency_conflict");
            assertThat(refused.pointer()).isEqualTo("/parts/1/" + field);
            assertThat(refused.detail()).contains(field);
        });
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isEqualTo(2);
    }

    @Test
    @DisplayName("OUT-4 another ordering_key is a conflict that names it, and nothing is written")
    void conflictingKey() {
        fixture.enqueue("b", part("k"));
        assertThat(fixture.tryEnqueue("b", part("other"), part("other")))
                .isInstanceOfSatisfying(EnqueueResult.Refused.class, refused -> {
                    assertThat(refused.code()).isEqualTo("idempotency_conflict");
                    assertThat(refused.pointer()).isEqualTo("/parts/0/ordering_key");
                });
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-4 a conflict is found in a part that has ended, too")
    void conflictWithEndedPart() {
        fixture.enqueue("b", part("k"));
        fixture.deliver(fixture.claimOne());
        assertThat(fixture.tryEnqueue("b", part("k").method("sendPhoto")))
                .isInstanceOfSatisfying(EnqueueResult.Refused.class, refused -> assertThat(refused.pointer())
                        .isEqualTo("/parts/0/method_kind"));
    }

    @Test
    @DisplayName("OUT-4 a part missing below the highest stored one is a batch_gap, and nothing is written")
    void gap() {
        fixture.enqueue("b", part("k"), part("k"), part("k"));
        db.execute("DELETE FROM telegram_outbox WHERE part_index = 1");
        db.execute("DELETE FROM telegram_outbox_inflight WHERE part_index = 1");
        assertThat(fixture.tryEnqueue("b", part("k"), part("k"), part("k"), part("k")))
                .isInstanceOfSatisfying(EnqueueResult.Refused.class, refused -> {
                    assertThat(refused.code()).isEqualTo("batch_gap");
                    assertThat(refused.pointer()).isEqualTo("/parts/1");
                });
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(2);
    }

    @Test
    @DisplayName("OUT-4 a replay of fewer parts is answered with those, and with how many there are in all")
    void storedParts() {
        fixture.enqueue("b", part("k"), part("k"), part("k"));
        EnqueueResult.Stored fewer = fixture.enqueue("b", part("k"));
        assertThat(fewer.storedParts()).isEqualTo(3);
        assertThat(fewer.parts()).extracting(StoredPart::partIndex).containsExactly(0);
        EnqueueResult.Stored more = fixture.enqueue("b", part("k"), part("k"), part("k"), part("k"));
        assertThat(more.storedParts()).isEqualTo(4);
    }

    @ParameterizedTest(name = "OUT-4 a part added behind one that ended as {0} is stored as cancelled")
    @EnumSource(
            value = PartState.class,
            names = {"AMBIGUOUS", "DEAD_LETTER", "EXPIRED"})
    void addedBehindBadEnd(PartState bad) {
        OutboxFixture.Builder first = part("k").expiresAt(db.clock().now().plusSeconds(3600));
        fixture.enqueue("b", first);
        if (bad == PartState.EXPIRED) {
            db.clock().advance(Duration.ofHours(2));
            fixture.run("outbox-expiry");
        } else {
            Claim.Item item = fixture.claimOne();
            fixture.start(item);
            fixture.settle(bad == PartState.AMBIGUOUS ? OutboxFixture.ambiguous(item) : OutboxFixture.deadLetter(item));
        }
        EnqueueResult.Stored added = fixture.enqueue("b", first, part("k"), part("k2"));
        assertThat(added.parts())
                .extracting(StoredPart::state)
                .containsExactly(bad, PartState.CANCELLED, PartState.CANCELLED);
        assertThat(added.parts()).extracting(StoredPart::inserted).containsExactly(false, true, true);
        for (StoredPart part : added.parts().subList(1, 3)) {
            assertThat(fixture.view(part.id()).lastErrorClass()).isEqualTo("batch_predecessor_" + bad.wire());
        }
        // Cancelled by the one that ended, not by the cancelled one before it.
        EnqueueResult.Stored more = fixture.enqueue("b", first, part("k"), part("k2"), part("k3"));
        assertThat(fixture.view(more.parts().get(3).id()).lastErrorClass())
                .isEqualTo("batch_predecessor_" + bad.wire());
        // Its keys are free.
        fixture.enqueue("next", part("k"));
        fixture.enqueue("next2", part("k2"));
        assertThat(fixture.claim(10)).extracting(Claim.Item::batchId).containsExactly("next", "next2");
    }

    @Test
    @DisplayName("OUT-4 a part added behind delivered ones, or behind one in flight, takes its turn")
    void addedBehindGoodEnd() {
        fixture.enqueue("b", part("k1"));
        Claim.Item first = fixture.claimOne();
        fixture.enqueue("b", part("k1"), part("k2"));
        assertThat(fixture.claim(10)).isEmpty();
        fixture.deliver(first);
        fixture.deliver(fixture.claimOne());
        fixture.enqueue("b", part("k1"), part("k2"), part("k3"));
        assertThat(fixture.claimOne().partIndex()).isEqualTo(2);
    }
}
