package io.tailrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.cli.embedded.LastWill;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevCommandIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private Path folder = Path.of("");

    private final List<AutoCloseable> open = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
    }

    /** A `dev` as an OS process, ready. */
    private final class Dev implements AutoCloseable {
        private final Process process;
        private final JsonNode info;
        private final LastWill will;

        Dev(String... options) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx256m",
                    "-Djava.io.tmpdir=" + folder,
                    "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    "io.tailrace.Main",
                    "dev",
                    "--free-ports",
                    "--info-file",
                    infoFile().toString()));
            command.addAll(List.of(options));
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("dev.log").toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("TAILRACE_"));
            process = builder.start();
            will = LastWill.write("kill -KILL \"$1\"", Long.toString(process.pid()));
            open.add(this);
            Awaitility.await("dev is ready")
                    .atMost(PATIENCE)
                    .until(() -> Files.exists(infoFile()) || !process.isAlive());
            assertThat(process.isAlive()).as(output()).isTrue();
            info = JSON.readTree(infoFile().toFile());
        }

        String field(String name) {
            return info.get(name).asText();
        }

        /** The postmaster of its PostgreSQL. */
        ProcessHandle postmaster(Path dataFolder) throws IOException {
            String pid = Files.readAllLines(dataFolder.resolve("data/postmaster.pid"))
                    .get(0)
                    .strip();
            return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        }

        HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
            return HTTP.send(
                    HttpRequest.newBuilder(URI.create(field("url") + path))
                            .header("authorization", "Bearer " + field("key"))
                            .header("content-type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }

        void awaitEnd() throws InterruptedException {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public void close() throws Exception {
            process.destroyForcibly().waitFor();
            will.close();
        }
    }

    private Path infoFile() {
        return folder.resolve("info/dev.json");
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("dev.log"));
    }

    private Path onlyDataFolder() throws IOException {
        try (var entries = Files.list(folder)) {
            return entries.filter(path -> path.getFileName().toString().startsWith("tailrace-dev-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static final String BATCH = """
            {"batch_id":"dev:1","parts":[{"bot_id":"7","chat_id":"1","ordering_key":"k","method_kind":"sendMessage",
             "payload_version":1,"payload":{"text":"Hello"},"delivery_policy":"create"}]}""";

    @Test
    @DisplayName(
            "CLI-1 dev takes a batch at once, writes what programs need for its user alone, and SIGTERM leaves nothing")
    void devAndSigterm() throws Exception {
        Dev dev = new Dev();
        Path data = onlyDataFolder();
        ProcessHandle postmaster = dev.postmaster(data);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(infoFile())))
                .isEqualTo("rw-------");
        assertThat(dev.info.fieldNames())
                .toIterable()
                .containsExactly("url", "admin_url", "admin_token", "key", "tenant_id", "jdbc_url");
        assertThat(dev.post("/v1/outbox/batches", BATCH).statusCode()).isEqualTo(201);
        assertThat(dev.post("/v1/outbox/claims", "{\"worker_id\":\"w\"}").body())
                .contains("dev:1");
        assertThat(HTTP.send(
                                HttpRequest.newBuilder(URI.create(dev.field("admin_url") + "/readyz"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(200);

        dev.process.destroy();
        dev.awaitEnd();
        Awaitility.await("PostgreSQL is gone").atMost(PATIENCE).until(() -> !postmaster.isAlive());
        assertThat(data).doesNotExist();
        assertThat(infoFile()).doesNotExist();
        assertThat(output())
                .contains("Tailrace is ready", "curl -s ", "stopped")
                .doesNotContain("Exception");
    }

    @Test
    @DisplayName("CLI-1 dev's PostgreSQL and its folder go with it even after kill -9")
    void killed() throws Exception {
        Dev dev = new Dev();
        Path data = onlyDataFolder();
        ProcessHandle postmaster = dev.postmaster(data);

        dev.process.destroyForcibly();
        dev.awaitEnd();

        Awaitility.await("PostgreSQL and its folder are gone")
                .atMost(PATIENCE)
                .until(() -> !postmaster.isAlive() && !Files.exists(data));
    }

    @Test
    @DisplayName("CLI-1 dev --data-dir keeps what was stored from one start to the next, kill -9 between them or not")
    void keptFolder() throws Exception {
        Path kept = folder.resolve("kept");
        Dev first = new Dev("--data-dir", kept.toString());
        assertThat(first.post("/v1/outbox/batches", BATCH).statusCode()).isEqualTo(201);
        ProcessHandle postmaster = first.postmaster(kept);
        first.process.destroyForcibly();
        first.awaitEnd();
        Awaitility.await("PostgreSQL is gone").atMost(PATIENCE).until(() -> !postmaster.isAlive());
        Files.delete(infoFile());

        Dev second = new Dev("--data-dir", kept.toString());
        assertThat(second.post("/v1/outbox/batches", BATCH).statusCode())
                .as("the same batch is there already")
                .isEqualTo(200);
        second.process.destroy();
        second.awaitEnd();
        assertThat(kept.resolve("data/PG_VERSION")).exists();
        assertThat(kept.resolve("data/postmaster.pid")).doesNotExist();
    }
}
