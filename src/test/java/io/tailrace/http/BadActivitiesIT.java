package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tailrace.testkit.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad bodies and headers, each a 4xx with a code and a pointer, and nothing stored. */
class BadActivitiesIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final String METADATA = "{\"lang\":\"en\"}";
    private static final String GOOD =
            "{\"type\":\"message\",\"sender\":\"user-1\",\"text\":\"Hello\",\"attachments\":[]," + "\"metadata\":"
                    + METADATA + ",\"idempotency_key\":null}";

    private static LogFixture log;
    private static String conversation;
    private static String path;

    @BeforeAll
    static void open() {
        log = new LogFixture(DB, 1);
        conversation = log.conversation();
        path = LogFixture.activities(conversation);
    }

    @AfterAll
    static void close() {
        log.close();
    }

    @AfterEach
    void nothingStored() {
        assertThat(DB.number("SELECT count(*) FROM activities")).isZero();
        assertThat(DB.number("SELECT last_seq FROM conversations WHERE id = ?::uuid", conversation))
                .isZero();
        assertThat(DB.number("SELECT count(*) FROM conversations")).isEqualTo(1);
    }

    private static String metadata(String json) {
        return GOOD.replace(METADATA, json);
    }

    private static String with(String name, String value) {
        return GOOD.replaceFirst(
                "\"" + name + "\":(\"[^\"]*\"|\\[]|null)", "\"" + name + "\":" + value.replace("\\", "\\\\"));
    }

    static Stream<Arguments> activities() {
        String deep = "[".repeat(100_000) + "]".repeat(100_000);
        return Stream.of(
                arguments("empty", "", 400, "malformed", ""),
                arguments("null", "null", 422, "invalid_field", ""),
                arguments("an array", "[]", 422, "invalid_field", ""),
                arguments("a number", "1", 422, "invalid_field", ""),
                arguments("truncated", GOOD.substring(0, 60), 400, "malformed", null),
                arguments("trailing bytes", GOOD + "x", 400, "malformed", ""),
                arguments("two values", GOOD + GOOD, 400, "malformed", ""),
                arguments("a mark before it", "\uFEFF" + GOOD, 400, "malformed", ""),
                arguments(
                        "duplicate keys",
                        GOOD.replace("\"text\"", "\"type\":\"x\",\"text\""),
                        400,
                        "malformed",
                        "/type"),
                arguments("duplicate keys inside", metadata("{\"a\":1,\"a\":2}"), 400, "malformed", "/metadata/a"),
                arguments("depth 100,000", metadata("{\"a\":" + deep + "}"), 400, "malformed", null),
                arguments("depth 100,000 in attachments", with("attachments", deep), 400, "malformed", null),
                arguments("20 MB string", metadata("{\"a\":\"" + "x".repeat(20_000_000) + "\"}"), 413, "too_large", ""),
                arguments(
                        "text past its limit",
                        with("text", "\"" + "x".repeat((1 << 20) + 1) + "\""),
                        413,
                        "too_large",
                        "/text"),
                arguments(
                        "metadata past its limit",
                        metadata("{\"a\":\"" + "x".repeat(1 << 20) + "\"}"),
                        413,
                        "too_large",
                        "/metadata"),
                arguments(
                        "attachments past their limit",
                        with("attachments", "[\"" + "x".repeat(1 << 20) + "\"]"),
                        413,
                        "too_large",
                        "/attachments"),
                arguments(
                        "1,000-digit number",
                        metadata("{\"a\":" + "9".repeat(1_000) + "}"),
                        422,
                        "number_out_of_range",
                        "/metadata/a"),
                arguments(
                        "1e999",
                        with("attachments", "[{\"a\":[0,1e999]}]"),
                        422,
                        "number_out_of_range",
                        "/attachments/0/a/1"),
                arguments("1e-999", metadata("{\"a\":1e-999}"), 422, "number_out_of_range", "/metadata/a"),
                arguments("NaN", metadata("{\"a\":NaN}"), 400, "malformed", null),
                arguments("-Infinity", metadata("{\"a\":-Infinity}"), 400, "malformed", null),
                arguments("leading zero", metadata("{\"a\":007}"), 400, "malformed", null),
                arguments("lone surrogate", metadata("{\"a\":\"\\ud800\"}"), 422, "invalid_field", "/metadata/a"),
                arguments("lone surrogate in text", with("text", "\"\\udc00\""), 422, "invalid_field", "/text"),
                arguments("lone surrogate as a name", metadata("{\"\\ud800\":1}"), 422, "invalid_field", null),
                arguments("\\u0000", with("text", "\"a\\u0000b\""), 422, "invalid_field", "/text"),
                arguments(
                        "\\u0000 in metadata",
                        metadata("{\"a\":[\"\\u0000\"]}"),
                        422,
                        "invalid_field",
                        "/metadata/a/0"),
                arguments("\\u0000 in sender", with("sender", "\"\\u0000\""), 422, "invalid_field", "/sender"),
                arguments("raw control character", with("text", "\"a\u0001b\""), 400, "malformed", null),
                arguments("huge name", metadata("{\"" + "n".repeat(60_000) + "\":1}"), 400, "malformed", null),
                arguments("million keys", millionKeys(), 422, "invalid_field", "/k0"),
                arguments("million keys inside", metadata(millionKeys()), 413, "too_large", "/metadata"),
                arguments("type a number", with("type", "5"), 422, "invalid_field", "/type"),
                arguments("type null", with("type", "null"), 422, "invalid_field", "/type"),
                arguments("type empty", with("type", "\"\""), 422, "invalid_field", "/type"),
                arguments("type too long", with("type", "\"" + "t".repeat(201) + "\""), 422, "invalid_field", "/type"),
                arguments("no type", "{\"sender\":\"s\"}", 422, "invalid_field", "/type"),
                arguments("no sender", "{\"type\":\"t\"}", 422, "invalid_field", "/sender"),
                arguments("sender an object", with("sender", "{}"), 422, "invalid_field", "/sender"),
                arguments("text a number", with("text", "-1"), 422, "invalid_field", "/text"),
                arguments("attachments an object", with("attachments", "{}"), 422, "invalid_field", "/attachments"),
                arguments("metadata an array", metadata("[]"), 422, "invalid_field", "/metadata"),
                arguments("metadata a string", metadata("\"x\""), 422, "invalid_field", "/metadata"),
                arguments("empty key", with("idempotency_key", "\"\""), 422, "invalid_field", "/idempotency_key"),
                arguments(
                        "256-byte key",
                        with("idempotency_key", "\"" + "é".repeat(128) + "\""),
                        422,
                        "invalid_field",
                        "/idempotency_key"),
                arguments("unknown field", GOOD.replace("\"text\"", "\"txet\""), 422, "invalid_field", "/txet"),
                arguments(
                        "a field of the answer",
                        GOOD.replace("\"text\":\"Hello\"", "\"seq\":7"),
                        422,
                        "invalid_field",
                        "/seq"),
                arguments(
                        "SQL as a field",
                        GOOD.replace("\"text\"", "\"'; DROP TABLE activities;--\""),
                        422,
                        "invalid_field",
                        null),
                arguments(
                        "another conversation",
                        GOOD.replace("\"text\"", "\"conversation_id\":\"" + UUID.randomUUID() + "\",\"text\""),
                        422,
                        "invalid_field",
                        "/conversation_id"),
                arguments(
                        "a conversation that is no UUID",
                        GOOD.replace("\"text\"", "\"conversation_id\":\"../x\",\"text\""),
                        422,
                        "invalid_field",
                        "/conversation_id"));
    }

    private static String millionKeys() {
        return IntStream.range(0, 1_000_000)
                .mapToObj(i -> "\"k" + i + "\":1")
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static void assertRefused(EdgeFixture.Answer answer, int status, String code, String pointer) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo(code);
        if (pointer != null) {
            assertThat(answer.pointer()).as(answer.text()).isEqualTo(pointer);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("activities")
    @DisplayName("API-1 API-4 bad activities")
    void badActivity(String what, String body, int status, String code, String pointer) {
        assertRefused(log.edge.post(path, body).bad().send(), status, code, pointer);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("activities")
    @DisplayName("ACT-8 bad activities in bulk, alone in an array or a line")
    void badInBulk(String what, String body, int status, String code, String pointer) {
        if (what.contains("conversation")) {
            return;
        }
        String line =
                body.startsWith("{") ? "{\"conversation_id\":\"" + conversation + "\"," + body.substring(1) : body;
        EdgeFixture.Answer answer = log.edge
                .call("POST", "/v1/activities", line.getBytes(StandardCharsets.UTF_8), "application/x-ndjson")
                .bad()
                .send();
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(log.edge
                        .post("/v1/activities", "[" + line + "]")
                        .bad()
                        .send()
                        .status())
                .isBetween(400, 422);
    }

    static Stream<Arguments> conversations() {
        return Stream.of(
                arguments("[]", 422, "invalid_field", ""),
                arguments("{\"id\":7}", 422, "invalid_field", "/id"),
                arguments("{\"id\":\"1-1-1-1-1\"}", 422, "invalid_field", "/id"),
                arguments("{\"id\":\"' OR 1=1 --\"}", 422, "invalid_field", "/id"),
                arguments("{\"channel_id\":\"x\"}", 422, "invalid_field", "/channel_id"),
                arguments("{\"channel_id\":\"" + UUID.randomUUID() + "\"}", 422, "invalid_field", "/channel_id"),
                arguments("{\"metadata\":[]}", 422, "invalid_field", "/metadata"),
                arguments("{\"metadata\":{\"a\":1e999}}", 422, "number_out_of_range", "/metadata/a"),
                arguments("{\"metadata\":{\"\\u0000\":1}}", 422, "invalid_field", null),
                arguments("{\"tenant_id\":\"" + UUID.randomUUID() + "\"}", 422, "invalid_field", "/tenant_id"),
                arguments("{\"last_seq\":9}", 422, "invalid_field", "/last_seq"),
                arguments("{\"id\":null,\"id\":null}", 400, "malformed", "/id"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("conversations")
    @DisplayName("API-1 bad conversations")
    void badConversation(String body, int status, String code, String pointer) {
        assertRefused(log.edge.post("/v1/conversations", body).bad().send(), status, code, pointer);
    }

    @Test
    @DisplayName("API-1 bytes that are not UTF-8, another type, another encoding, a broken gzip")
    void bytes() {
        int at = GOOD.indexOf("Hello");
        List<byte[]> bad = new ArrayList<>();
        for (int[] bytes :
                new int[][] {{0xE9}, {0xC0, 0xAF}, {0xED, 0xA0, 0x80}, {0xF4, 0x90, 0x80, 0x80}, {0xE2, 0x82}, {0}}) {
            StringBuilder text = new StringBuilder(GOOD);
            for (int i = 0; i < bytes.length; i++) {
                text.insert(at + i, (char) bytes[i]);
            }
            bad.add(text.toString().getBytes(StandardCharsets.ISO_8859_1));
        }
        bad.add(GOOD.getBytes(StandardCharsets.UTF_16));
        for (byte[] body : bad) {
            assertThat(log.edge
                            .call("POST", path, body, "application/json")
                            .bad()
                            .send()
                            .code())
                    .isEqualTo("malformed");
        }
        byte[] good = GOOD.getBytes(StandardCharsets.UTF_8);
        for (String type : List.of("text/plain", "application/x-ndjson", "application/json; charset=latin1")) {
            assertThat(log.edge.call("POST", path, good, type).bad().send().status())
                    .as(type)
                    .isEqualTo(415);
        }
        assertThat(log.edge
                        .call("POST", path, good, "application/json")
                        .header("Content-Encoding", "br")
                        .bad()
                        .send()
                        .status())
                .isEqualTo(415);
        assertThat(log.edge
                        .call("POST", path, good, "application/json")
                        .header("Content-Encoding", "gzip")
                        .bad()
                        .send()
                        .status())
                .isEqualTo(400);
    }

    @Test
    @DisplayName("ACT-8 a body that breaks off in the middle of its lines stores nothing")
    void brokenOff() {
        String line = "{\"conversation_id\":\"" + conversation + "\"," + GOOD.substring(1) + "\n";
        String head = "POST /v1/activities HTTP/1.1\r\nhost: x\r\nauthorization: Bearer " + EdgeFixture.KEY
                + "\r\ncontent-type: application/x-ndjson\r\ncontent-length: " + line.length() * 10 + "\r\n\r\n";
        EdgeFixture.Raw raw =
                log.edge.raw((head + line.repeat(5)).getBytes(StandardCharsets.UTF_8), Duration.ofMillis(300));
        assertThat(raw.text()).isEmpty();
    }

    @Test
    @DisplayName("API-1 ids in paths that are none, and methods that are not there")
    void paths() {
        for (String id : List.of("..%2F..%2Fetc", "%00", "1", "x".repeat(64), "%27%20OR%201%3D1", "-1")) {
            for (String method : List.of("GET", "DELETE")) {
                for (String of : List.of("/v1/conversations/", "/v1/activities/")) {
                    EdgeFixture.Answer answer = log.edge
                            .call(method, of + id, new byte[0], null)
                            .bad()
                            .send();
                    assertThat(answer.status()).as(method + of + id).isIn(400, 404);
                }
            }
            assertThat(log.edge
                            .post("/v1/conversations/" + id + "/activities", GOOD)
                            .bad()
                            .send()
                            .status())
                    .isIn(400, 404);
        }
        assertThat(log.edge
                        .call("PUT", "/v1/activities/x", new byte[0], null)
                        .bad()
                        .send()
                        .status())
                .isEqualTo(405);
    }

    @Test
    @DisplayName("API-3 a key without the scope activities may not")
    void scope() {
        log.edge.key("outbox-only", null, io.tailrace.tenant.Scope.OUTBOX);
        assertThat(log.edge.post(path, GOOD).key("outbox-only").send().code()).isEqualTo("forbidden_scope");
        assertThat(log.edge
                        .get("/v1/conversations/" + conversation + "/stream")
                        .key("outbox-only")
                        .send()
                        .status())
                .isEqualTo(403);
        assertThat(log.edge.get(path).key("").send().status()).isEqualTo(401);
    }
}
