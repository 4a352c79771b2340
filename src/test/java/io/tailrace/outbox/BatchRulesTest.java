package io.tailrace.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class BatchRulesTest {
    private static Batch.Part part(String botId, String payload, int priority, Batch.@Nullable Blob blob) {
        return new Batch.Part(
                botId,
                null,
                null,
                "k",
                null,
                null,
                null,
                "m",
                1,
                payload,
                blob,
                DeliveryPolicy.CREATE,
                false,
                priority,
                null,
                null);
    }

    private static Batch batch(String id, List<Batch.Part> parts) {
        return new Batch(id, parts, null);
    }

    private static String pointer(Batch batch) {
        return BatchRules.check(batch).map(BatchRules.Violation::pointer).orElse("none");
    }

    private static final Batch.Part GOOD = part("7", "{}", 0, null);

    @Test
    @DisplayName("OUT-8 at the limits a batch is taken, one past them it is not")
    void limits() {
        assertThat(pointer(batch("b", Collections.nCopies(3_000, GOOD)))).isEqualTo("none");
        assertThat(BatchRules.check(batch("b", Collections.nCopies(3_001, GOOD))))
                .hasValueSatisfying(it -> {
                    assertThat(it.tooLarge()).isTrue();
                    assertThat(it.pointer()).isEqualTo("/parts");
                });
        UnaryOperator<String> payload = text -> "{\"a\":\"" + text + "\"}";
        int room = BatchRules.MAX_PAYLOAD_BYTES - 8;
        assertThat(pointer(batch("b", List.of(part("7", payload.apply("x".repeat(room)), 0, null)))))
                .isEqualTo("none");
        assertThat(pointer(batch("b", List.of(GOOD, part("7", payload.apply("x".repeat(room + 1)), 0, null)))))
                .isEqualTo("/parts/1/payload");
        assertThat(pointer(batch("b", List.of(part("7", payload.apply("\u05d0".repeat(room / 2)), 0, null)))))
                .isEqualTo("none");
        assertThat(pointer(batch("b", List.of(part("7", payload.apply("\u05d0".repeat(room / 2 + 1)), 0, null)))))
                .isEqualTo("/parts/0/payload");
        assertThat(pointer(batch("b", List.of(part("7", payload.apply("\ud83d\ude00".repeat(room / 4)), 0, null)))))
                .isEqualTo("none");
        assertThat(pointer(batch("b", List.of(part("7", payload.apply("\ud83d\ude00".repeat(room / 4 + 1)), 0, null)))))
                .isEqualTo("/parts/0/payload");
    }

    @Test
    @DisplayName("OUT-8 names that are empty or too long, priorities past a smallint, digests that are none")
    void values() {
        assertThat(pointer(batch("", List.of(GOOD)))).isEqualTo("/batch_id");
        assertThat(pointer(batch("b".repeat(512), List.of(GOOD)))).isEqualTo("none");
        assertThat(pointer(batch("b".repeat(513), List.of(GOOD)))).isEqualTo("/batch_id");
        assertThat(pointer(batch("b", List.of()))).isEqualTo("/parts");
        assertThat(pointer(batch("b", List.of(part("", "{}", 0, null))))).isEqualTo("/parts/0/bot_id");
        assertThat(pointer(batch("b", List.of(part("7", "{}", 32_768, null))))).isEqualTo("/parts/0/priority");
        assertThat(pointer(batch("b", List.of(part("7", "{}", 0, new Batch.Blob("x", null, null))))))
                .isEqualTo("/parts/0/blob/sha256");
        assertThat(pointer(
                        batch("b", List.of(part("7", "{}", 0, new Batch.Blob("0".repeat(64), "m".repeat(256), null))))))
                .isEqualTo("/parts/0/blob/media_type");
    }
}
