package io.tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.outbox.DeliveryPolicy;
import io.vertx.core.json.JsonObject;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BotApiCorpusTest {
    private final List<JsonObject> parts = BotApiCorpus.parts();

    @Test
    void hasEnoughCallsAndNoTwoAlike() {
        Set<String> shapes = new HashSet<>();
        for (JsonObject part : parts) {
            String shape = part.getString("method_kind") + " "
                    + part.getJsonObject("payload").fieldNames().stream()
                            .sorted()
                            .toList();
            assertThat(shapes.add(shape)).as(shape).isTrue();
        }
        assertThat(shapes).hasSizeGreaterThanOrEqualTo(64);
        assertThat(parts).extracting(part -> part.getString("method_kind")).doesNotContainNull();
    }

    @Test
    void reachesTheEdges() {
        assertThat(parts).anyMatch(part -> text(part).length() == 4096);
        assertThat(parts).anyMatch(part -> text(part).contains("\u200d"));
        assertThat(parts).anyMatch(part -> text(part).chars().anyMatch(BotApiCorpusTest::rightToLeft));
        assertThat(parts)
                .anyMatch(part -> String.valueOf(part.getString("chat_id")).startsWith("-100"));
        assertThat(parts)
                .anyMatch(part -> String.valueOf(part.getString("chat_id")).startsWith("@"));
        assertThat(parts).anyMatch(part -> part.getString("thread_id") != null);
        assertThat(parts).anyMatch(part -> part.getString("chat_id") == null);
        for (DeliveryPolicy policy : DeliveryPolicy.values()) {
            assertThat(parts).anyMatch(part -> policy.wire().equals(part.getString("delivery_policy")));
        }
    }

    @Test
    void blobsAreWhatTheirNamesSay() throws Exception {
        List<JsonObject> withBlob = parts.stream()
                .filter(part -> part.getJsonObject("blob") != null)
                .toList();
        assertThat(withBlob).hasSizeGreaterThanOrEqualTo(8);
        for (JsonObject part : withBlob) {
            String sha256 = part.getJsonObject("blob").getString("sha256");
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(BotApiCorpus.blob(sha256));
            assertThat(HexFormat.of().formatHex(digest)).isEqualTo(sha256);
            assertThat(part.getJsonObject("payload").encode()).contains("attach://file");
        }
    }

    private static String text(JsonObject part) {
        return part.getJsonObject("payload").getString("text", "");
    }

    private static boolean rightToLeft(int character) {
        return Character.getDirectionality(character) == Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC;
    }
}
