package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.tailrace.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Bytes that no HTTP client would send. */
class RawHttpIT {
    private static final FakeOutbox OUTBOX = new FakeOutbox();
    private static final EdgeFixture EDGE =
            new EdgeFixture(OUTBOX, new Fakes.Parts(), new Fakes.Memory(), EdgeFixture.config(0));
    private static final String BODY = "{\"batch_id\":\"b\",\"parts\":[{\"bot_id\":\"7\",\"ordering_key\":\"k\","
            + "\"method_kind\":\"m\",\"payload\":{}}]}";
    private static final String HEAD = "POST /v1/outbox/batches HTTP/1.1\r\nHost: x\r\nx-api-key: " + EdgeFixture.KEY
            + "\r\nContent-Type: application/json\r\n";
    private static final Duration SILENCE = Duration.ofMillis(500);

    @AfterAll
    static void close() {
        EDGE.close();
    }

    @BeforeEach
    void forget() {
        OUTBOX.forget();
    }

    private static String send(String request) {
        return EDGE.raw(request.getBytes(StandardCharsets.ISO_8859_1), SILENCE).text();
    }

    private static void refused(String answer, int status, String code) {
        assertThat(answer).matches("(?s)HTTP/1\\.[01] " + status + " .*");
        assertThat(answer).contains("application/problem+json").contains("\"code\":\"" + code + "\"");
        assertThat(OUTBOX.untouched()).isTrue();
    }

    @Test
    void aWellFormedOneIsTaken() {
        assertThat(send(HEAD + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY))
                .startsWith("HTTP/1.1 201");
    }

    @Test
    @DisplayName("API-4 both Content-Length and Transfer-Encoding: 400, and the connection closes")
    void bothLengths() {
        refused(
                send(HEAD + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + Integer.toHexString(BODY.length()) + "\r\n" + BODY + "\r\n0\r\n\r\n"),
                400,
                "malformed");
    }

    @Test
    @DisplayName("API-4 two Content-Lengths: 400")
    void twoLengths() {
        refused(send(HEAD + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n" + BODY), 400, "malformed");
    }

    @Test
    @DisplayName("API-4 a Content-Length that is no number: 400")
    void noNumber() {
        refused(send(HEAD + "Content-Length: x\r\n\r\n" + BODY), 400, "malformed");
        refused(send(HEAD + "Content-Length: -1\r\n\r\n" + BODY), 400, "malformed");
    }

    @Test
    @DisplayName("API-4 a Content-Length that is too short cuts the body: 400")
    void tooShort() {
        refused(send(HEAD + "Content-Length: " + (BODY.length() - 5) + "\r\n\r\n" + BODY), 400, "malformed");
    }

    @Test
    @DisplayName("API-4 a chunk that is no chunk: 400")
    void badChunk() {
        refused(send(HEAD + "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + BODY + "\r\n0\r\n\r\n"), 400, "malformed");
    }

    @Test
    @DisplayName("API-4 a bad chunk after a good one: 400")
    void badSecondChunk() {
        refused(
                send(HEAD + "Transfer-Encoding: chunked\r\n\r\n5\r\n" + BODY.substring(0, 5) + "\r\nzz\r\n"),
                400,
                "malformed");
    }

    @Test
    @DisplayName("API-4 headers over 8 KB: 431")
    void largeHeader() {
        refused(
                send(HEAD + "x-large: " + "x".repeat(9_000) + "\r\nContent-Length: 2\r\n\r\n{}"),
                431,
                "headers_too_large");
    }

    @Test
    @DisplayName("API-4 a request line over 4 KB: 414")
    void longLine() {
        refused(send("GET /" + "x".repeat(5_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414, "uri_too_long");
    }

    @Test
    @DisplayName("API-4 not HTTP at all: 400")
    void noHttp() {
        refused(send("\u0016\u0003\u0001 hello\r\n\r\n"), 400, "malformed");
    }

    @Test
    @DisplayName("API-4 CR or LF in a header's value: 400")
    void crlfInHeader() {
        refused(send(HEAD + "x-a: b\rc: d\r\nContent-Length: 2\r\n\r\n{}"), 400, "malformed");
        refused(send(HEAD + "x-a: b\r\n\u0000bad: d\r\nContent-Length: 2\r\n\r\n{}"), 400, "malformed");
    }

    @Test
    @DisplayName("API-5 a repeated or a 256-byte Idempotency-Key is refused")
    void idempotencyKeys() {
        String rest = "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY;
        refused(send(HEAD + "Idempotency-Key: b\r\nIdempotency-Key: b\r\n" + rest), 400, "malformed");
        refused(send(HEAD + "Idempotency-Key: b\r\nx-idempotency-key: b\r\n" + rest), 400, "malformed");
        refused(send(HEAD + "Idempotency-Key: " + "b".repeat(256) + "\r\n" + rest), 422, "invalid_field");
        refused(send(HEAD + "Idempotency-Key: \r\n" + rest), 422, "invalid_field");
        refused(send(HEAD + "Idempotency-Key: \u00ff\r\n" + rest), 422, "invalid_field");
    }

    @Test
    @DisplayName("API-4 a slow body: 408, and the connection closes")
    void slowBody() {
        EdgeFixture.Raw answer = EDGE.raw(
                (HEAD + "Content-Length: 100\r\n\r\n{").getBytes(StandardCharsets.ISO_8859_1),
                Duration.ofSeconds(10),
                Duration.ofSeconds(20));
        refused(answer.text(), 408, "request_timeout");
        assertThat(answer.closed()).isTrue();
    }

    @Test
    @DisplayName("API-4 a head that never ends is closed after the idle time, though bytes keep coming")
    void slowHead() {
        EdgeFixture.Raw answer = EDGE.raw(
                "POST /v1/outbox/batches HTTP/1.1\r\nx-a:".getBytes(StandardCharsets.ISO_8859_1),
                Duration.ofSeconds(10),
                Duration.ofSeconds(20));
        assertThat(answer).isEqualTo(new EdgeFixture.Raw("", true));
    }

    @Test
    @DisplayName("API-4 a body that breaks off stores nothing")
    void abort() {
        String head = HEAD.replace("json", "x-ndjson") + "Transfer-Encoding: chunked\r\n\r\n";
        String line = Integer.toHexString(BODY.length() + 1) + "\r\n" + BODY + "\n\r\n";
        long timed = timed();
        // Left by the client after the silence; the server has noticed once it has timed the request.
        assertThat(EDGE.raw((head + line).getBytes(StandardCharsets.ISO_8859_1), SILENCE)
                        .closed())
                .isFalse();
        Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> timed() > timed);
        assertThat(OUTBOX.untouched()).isTrue();
    }

    private static long timed() {
        return EDGE.meters.find("tailrace.http.requests").timers().stream()
                .mapToLong(Timer::count)
                .sum();
    }
}
