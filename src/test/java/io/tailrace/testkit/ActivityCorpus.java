package io.tailrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Activities in the shapes of the Bot Framework's activity schema, each as the body of an append, and Telegram updates as
 * metadata: {@code corpus/activities}. As text, so that no number in it is rounded on its way.
 */
public final class ActivityCorpus {
    private ActivityCorpus() {}

    /** The bodies in the order of their file names. */
    public static List<String> bodies() {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .map(ActivityCorpus::text)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Fails when a page of a conversation is not just these activities, in their order, as JSON values.
     *
     * @param page as {@link JsonValues} has it
     */
    public static void assertSame(@Nullable Object page, List<String> bodies) {
        List<?> items = (List<?>) Objects.requireNonNull(((Map<?, ?>) Objects.requireNonNull(page)).get("items"));
        assertThat(items).hasSameSizeAs(bodies);
        for (int i = 0; i < bodies.size(); i++) {
            Map<?, ?> sent = (Map<?, ?>) Objects.requireNonNull(JsonValues.of(bodies.get(i)));
            Map<?, ?> found = (Map<?, ?>) Objects.requireNonNull(items.get(i));
            assertThat(found.get("seq")).isEqualTo(JsonValues.of(Integer.toString(i + 1)));
            for (String member : List.of("type", "sender", "text", "attachments", "metadata")) {
                Object otherwise =
                        switch (member) {
                            case "attachments" -> List.of();
                            case "metadata" -> Map.of();
                            default -> null;
                        };
                assertThat(found.get(member))
                        .as("%s of %s", member, bodies.get(i))
                        .isEqualTo(sent.containsKey(member) ? sent.get(member) : otherwise);
            }
        }
    }

    private static Path folder() {
        URL folder = Objects.requireNonNull(ActivityCorpus.class.getResource("/corpus/activities"));
        try {
            return Path.of(folder.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
