package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.tenant.Scope;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who gets in, how much of it, and what is done with packed and large bodies. */
class GateAndLimitsIT {
    private static final FakeOutbox OUTBOX = new FakeOutbox();
    private static final Fakes.Memory BLOBS = new Fakes.Memory();
    private static final EdgeFixture EDGE = new EdgeFixture(OUTBOX, new Fakes.Parts(), BLOBS, EdgeFixture.config(0));
    private static final String BATCHES = "/v1/outbox/batches";
    private static final String BATCH = "{\"batch_id\":\"b\",\"parts\":[{\"bot_id\":\"7\",\"ordering_key\":\"k\","
            + "\"method_kind\":\"m\",\"payload\":{\"text\":\"Hello\"}}]}";

    @AfterAll
    static void close() {
        EDGE.close();
    }

    @BeforeEach
    void forget() {
        OUTBOX.forget();
        BLOBS.kept.clear();
        EDGE.keysFail = null;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] gzip(byte[] bytes) {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return packed.toByteArray();
    }

    @Test
    @DisplayName("API-3 no key, an unknown key, another scheme: 401 with a challenge, and the body is not read")
    void unauthorized() {
        for (EdgeFixture.Call call : List.of(
                EDGE.post(BATCHES, BATCH).key(""),
                EDGE.post(BATCHES, BATCH).key("unknown"),
                EDGE.post(BATCHES, BATCH).key("slow unknown"),
                EDGE.post(BATCHES, BATCH).key("").header("Authorization", "Basic eDp5"),
                EDGE.post(BATCHES, "x".repeat(1_000_000)).bad().key("unknown"))) {
            EdgeFixture.Answer answer = call.send();
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.code()).isEqualTo("unauthorized");
            assertThat(answer.headers()).containsEntry("www-authenticate", "Bearer");
        }
        assertThat(OUTBOX.untouched()).isTrue();
    }

    @Test
    @DisplayName("API-3 x-api-key is as good as Authorization, also when the key has to be looked up first")
    void eitherHeader() {
        EDGE.key("slow but known", null, Scope.OUTBOX);
        assertThat(EDGE.post(BATCHES, BATCH)
                        .key("")
                        .header("x-api-key", EdgeFixture.KEY)
                        .send()
                        .status())
                .isEqualTo(201);
        assertThat(EDGE.post(BATCHES, BATCH).key("slow but known").send().status())
                .isEqualTo(201);
        String large = BATCH.replace("Hello", "x".repeat(500_000));
        assertThat(EDGE.post(BATCHES, large).key("slow but known").send().status())
                .isEqualTo(201);
        assertThat(OUTBOX.batches).hasSize(3);
    }

    @Test
    @DisplayName("API-3 a database that cannot be asked is 503, never 401")
    void keysUnavailable() {
        EDGE.keysFail = new DatabaseFailure(DatabaseFailure.Kind.UNAVAILABLE, "down", null);
        EdgeFixture.Answer answer = EDGE.post(BATCHES, BATCH).send();
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.code()).isEqualTo("database_unavailable");
    }

    @Test
    @DisplayName("API-4 over its rate a key gets 429 with Retry-After and RateLimit headers, and other keys do not")
    void rate() {
        FakeOutbox outbox = new FakeOutbox();
        try (EdgeFixture limited =
                new EdgeFixture(outbox, new Fakes.Parts(), new Fakes.Memory(), EdgeFixture.config(5))) {
            limited.key("other", null, Scope.OUTBOX);
            int taken = 0;
            EdgeFixture.Answer refused = null;
            for (int i = 0; i < 50 && refused == null; i++) {
                EdgeFixture.Answer answer = limited.post(BATCHES, BATCH).send();
                assertThat(answer.headers()).containsEntry("ratelimit-limit", "5");
                if (answer.status() == 429) {
                    refused = answer;
                } else {
                    taken++;
                }
            }
            if (refused == null) {
                throw new AssertionError("50 requests within its rate of 5 a second");
            }
            assertThat(refused.code()).isEqualTo("rate_limited");
            assertThat(refused.headers()).containsEntry("retry-after", "1");
            assertThat(outbox.batches).hasSize(taken);
            assertThat(limited.post(BATCHES, BATCH).key("other").send().status())
                    .isEqualTo(201);
            limited.nanosAhead.addAndGet(Duration.ofSeconds(2).toNanos());
            assertThat(limited.post(BATCHES, BATCH).send().status()).isEqualTo(201);
        }
    }

    @Test
    @DisplayName("API-7 gzip and zstd bodies are read as what they hold")
    void packed() {
        assertThat(EDGE.call("POST", BATCHES, gzip(bytes(BATCH)), "application/json")
                        .bad()
                        .header("Content-Encoding", "gzip")
                        .send()
                        .status())
                .isEqualTo(201);
        assertThat(EDGE.call("POST", BATCHES, Zstd.compress(bytes(BATCH)), "application/json")
                        .bad()
                        .header("Content-Encoding", "zstd")
                        .send()
                        .status())
                .isEqualTo(201);
        assertThat(OUTBOX.batches).hasSize(2);
        assertThat(OUTBOX.batches.get(0)).isEqualTo(OUTBOX.batches.get(1));
    }

    @Test
    @DisplayName("API-4 a gzip or zstd bomb is 413, whether by its size or by its ratio")
    void bombs() {
        byte[] wide = new byte[100 * 1024 * 1024];
        byte[] narrow = new byte[15 * 1024 * 1024];
        // Not so packed that the ratio says it: past the limit by its size alone.
        byte[] noise = new byte[24 * 1024 * 1024];
        byte[] pattern = new byte[4_096];
        Random random = new Random(1);
        for (int from = 0; from < noise.length; from += pattern.length) {
            if (from % (pattern.length * 4) == 0) {
                random.nextBytes(pattern);
            }
            System.arraycopy(pattern, 0, noise, from, pattern.length);
        }
        for (byte[] body : List.of(wide, narrow, noise)) {
            tooLarge(gzip(body), "gzip");
            tooLarge(Zstd.compress(body), "zstd");
        }
        assertThat(OUTBOX.untouched()).isTrue();
    }

    private static void tooLarge(byte[] packed, String encoding) {
        EdgeFixture.Answer answer = EDGE.call("POST", BATCHES, packed, "application/json")
                .bad()
                .header("Content-Encoding", encoding)
                .send();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(answer.code()).isEqualTo("too_large");
    }

    @Test
    @DisplayName("API-7 a body that is not what its encoding says, or breaks off, is 400; another encoding 415")
    void badEncodings() {
        byte[] packed = gzip(bytes(BATCH));
        byte[] zstd = Zstd.compress(bytes(BATCH));
        for (byte[] body : List.of(bytes(BATCH), new byte[0], Arrays.copyOf(packed, packed.length - 12), zstd)) {
            EdgeFixture.Answer answer = EDGE.call("POST", BATCHES, body, "application/json")
                    .bad()
                    .header("Content-Encoding", "gzip")
                    .send();
            assertThat(answer.status()).isEqualTo(400);
        }
        for (byte[] body : List.of(bytes(BATCH), Arrays.copyOf(zstd, zstd.length - 12), packed)) {
            assertThat(EDGE.call("POST", BATCHES, body, "application/json")
                            .bad()
                            .header("Content-Encoding", "zstd")
                            .send()
                            .status())
                    .isEqualTo(400);
        }
        assertThat(EDGE.post(BATCHES, BATCH)
                        .header("Content-Encoding", "br")
                        .send()
                        .status())
                .isEqualTo(415);
        assertThat(OUTBOX.untouched()).isTrue();
    }

    @Test
    @DisplayName("API-1 a body that is not application/json in UTF-8 is 415")
    void mediaTypes() {
        for (String type :
                List.of("text/plain", "application/jsonx", "application/json; charset=latin1", "json", "*/*")) {
            EdgeFixture.Answer answer =
                    EDGE.call("POST", BATCHES, bytes(BATCH), type).bad().send();
            assertThat(answer.status()).as(type).isEqualTo(415);
        }
        assertThat(EDGE.call("POST", BATCHES, bytes(BATCH), null).bad().send().status())
                .isEqualTo(415);
        assertThat(EDGE.call("POST", "/v1/outbox/claims", bytes(BATCH), "application/x-ndjson")
                        .bad()
                        .send()
                        .status())
                .isEqualTo(415);
        assertThat(OUTBOX.untouched()).isTrue();
        for (String type : List.of("application/json; charset=UTF-8", "Application/JSON;charset=\"utf-8\"")) {
            assertThat(EDGE.call("POST", BATCHES, bytes(BATCH), type)
                            .bad()
                            .send()
                            .status())
                    .isEqualTo(201);
        }
    }

    @Test
    @DisplayName("API-4 NDJSON of more than 10,000 lines is 413, and nothing is stored")
    void tooManyLines() {
        EdgeFixture.Answer answer = EDGE.call(
                        "POST", BATCHES, bytes((BATCH + "\n").repeat(10_001)), "application/x-ndjson")
                .send();
        assertThat(answer.status()).isEqualTo(413);
        assertThat(OUTBOX.untouched()).isTrue();
    }

    @Test
    @DisplayName("OUT-8 a blob is stored under its digest once, and comes back as it was")
    void blob() throws Exception {
        byte[] bytes = new byte[3_000_000];
        new Random(2).nextBytes(bytes);
        String path = "/v1/outbox/blobs/"
                + HexFormat.of()
                        .formatHex(java.security.MessageDigest.getInstance("SHA-256")
                                .digest(bytes));
        assertThat(EDGE.call("PUT", path, bytes, "image/jpeg").send().status()).isEqualTo(201);
        assertThat(EDGE.call("PUT", path, bytes, "image/jpeg").send().status()).isEqualTo(200);
        EdgeFixture.Answer back = EDGE.get(path).send();
        assertThat(back.bytes()).isEqualTo(Buffer.buffer(bytes));
        assertThat(back.headers()).containsEntry("content-type", "image/jpeg");
    }

    @Test
    @DisplayName("OUT-8 bytes with another digest are 422, a blob past 50 MiB 413, an unknown one 404")
    void badBlobs() {
        String path = "/v1/outbox/blobs/" + "0".repeat(64);
        assertThat(EDGE.call("PUT", path, bytes("x"), "image/jpeg").send().code())
                .isEqualTo("invalid_field");
        assertThat(EDGE.call("PUT", "/v1/outbox/blobs/..%2F", bytes("x"), "image/jpeg")
                        .bad()
                        .send()
                        .status())
                .isEqualTo(422);
        assertThat(EDGE.get(path).send().status()).isEqualTo(404);
        assertThat(EDGE.get("/v1/outbox/blobs/x").send().status()).isEqualTo(404);
        assertThat(EDGE.raw(
                                bytes("PUT " + path + " HTTP/1.1\r\nHost: x\r\nx-api-key: " + EdgeFixture.KEY
                                        + "\r\nContent-Length: 52428801\r\n\r\n"),
                                Duration.ofMillis(500))
                        .text())
                .startsWith("HTTP/1.1 413");
        assertThat(BLOBS.kept).isEmpty();
    }

    @Test
    @DisplayName("OUT-8 blobs past what may be in memory at once are 503, until one of them is through")
    void uploadBudget() throws IOException {
        String path = "/v1/outbox/blobs/" + "0".repeat(64);
        byte[] head = bytes("PUT " + path + " HTTP/1.1\r\nHost: x\r\nx-api-key: " + EdgeFixture.KEY
                + "\r\nContent-Length: 40000000\r\n\r\nx");
        try (java.net.Socket first =
                new java.net.Socket(java.net.InetAddress.getLoopbackAddress(), EDGE.server.port())) {
            first.getOutputStream().write(head);
            org.awaitility.Awaitility.await()
                    .atMost(TestDatabase.PATIENCE)
                    .until(() -> EDGE.raw(head, Duration.ofMillis(200)).text().startsWith("HTTP/1.1 503"));
        }
        // The first one is gone, half way, and what it had reserved with it.
        org.awaitility.Awaitility.await()
                .atMost(TestDatabase.PATIENCE)
                .until(() -> EDGE.raw(head, Duration.ofMillis(200)).text().isEmpty());
    }

    @Test
    @DisplayName("OPS-1 requests are timed by route and status, without a label of whom")
    void metrics() {
        EDGE.post(BATCHES, BATCH).send();
        EDGE.post(BATCHES, "{}").bad().send();
        org.awaitility.Awaitility.await().atMost(TestDatabase.PATIENCE).untilAsserted(() -> {
            assertThat(EDGE.meters
                            .get("tailrace.http.requests")
                            .tags("route", BATCHES, "status", "201")
                            .timer()
                            .count())
                    .isPositive();
            assertThat(EDGE.meters
                            .get("tailrace.http.requests")
                            .tags("route", BATCHES, "status", "422")
                            .timer()
                            .count())
                    .isPositive();
        });
        assertThat(EDGE.meters.getMeters())
                .allSatisfy(meter -> assertThat(meter.getId().getTags())
                        .noneMatch(tag -> tag.getKey().contains("tenant")));
    }
}
