package io.tailrace.testkit;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Bot API calls in the shapes that bots really send, each as a part of an enqueued batch: {@code corpus/bot-api}. */
public final class BotApiCorpus {
    private BotApiCorpus() {}

    /** The parts in the order of their file names; each call gives new objects. */
    public static List<JsonObject> parts() {
        return files().stream()
                .map(file -> new JsonObject(Buffer.buffer(bytes(file))))
                .toList();
    }

    /** The bytes that a part's {@code blob} refers to. */
    public static byte[] blob(String sha256) {
        return bytes(folder().resolve("blobs").resolve(sha256));
    }

    static List<Path> files() {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path folder() {
        URL folder = Objects.requireNonNull(BotApiCorpus.class.getResource("/corpus/bot-api"));
        try {
            return Path.of(folder.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
