package io.tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ActivityCorpusTest {
    private final List<String> bodies = ActivityCorpus.bodies();

    @SuppressWarnings("unchecked")
    private static Map<String, Object> body(String text) {
        return (Map<String, Object>) java.util.Objects.requireNonNull(JsonValues.of(text));
    }

    @Test
    void hasEnoughActivitiesAndNoTwoAlike() {
        Set<String> shapes = new HashSet<>();
        for (String text : bodies) {
            Map<String, Object> body = body(text);
            Object metadata = body.getOrDefault("metadata", Map.of());
            String shape = body.get("type") + " " + new TreeSet<>(((Map<?, ?>) metadata).keySet());
            assertThat(shapes.add(shape)).as(shape).isTrue();
        }
        assertThat(shapes).hasSizeGreaterThanOrEqualTo(60);
    }

    @Test
    void reachesEveryTypeCardAndCorner() {
        List<Object> types = new ArrayList<>();
        bodies.forEach(text -> types.add(body(text).get("type")));
        assertThat(types)
                .contains(
                        "message",
                        "typing",
                        "conversationUpdate",
                        "messageReaction",
                        "event",
                        "invoke",
                        "endOfConversation");
        for (String part : List.of(
                "card.adaptive",
                "card.hero",
                "image/jpeg",
                "suggestedActions",
                "entities",
                "channelData",
                "update_id",
                "9223372036854775808",
                "\"\":")) {
            assertThat(bodies).as(part).anyMatch(text -> text.contains(part));
        }
        for (Character.UnicodeScript script : List.of(
                Character.UnicodeScript.CYRILLIC,
                Character.UnicodeScript.GREEK,
                Character.UnicodeScript.ARABIC,
                Character.UnicodeScript.HEBREW,
                Character.UnicodeScript.DEVANAGARI,
                Character.UnicodeScript.THAI,
                Character.UnicodeScript.HIRAGANA,
                Character.UnicodeScript.HAN,
                Character.UnicodeScript.HANGUL)) {
            assertThat(bodies).as(script.name()).anyMatch(text -> text.codePoints()
                    .anyMatch(c -> Character.UnicodeScript.of(c) == script));
        }
    }
}
