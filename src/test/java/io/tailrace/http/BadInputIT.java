package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad bodies, each a 4xx with a code and a pointer, and nothing asked of the outbox. */
class BadInputIT {
    private static final FakeOutbox OUTBOX = new FakeOutbox();
    private static final EdgeFixture EDGE =
            new EdgeFixture(OUTBOX, new Fakes.Parts(), new Fakes.Memory(), EdgeFixture.config(0));
    private static final String PAYLOAD = "{\"text\":\"Hello\"}";
    private static final String PART = "{\"bot_id\":\"7\",\"chat_id\":1,\"ordering_key\":\"k\",\"method_kind\":\"m\","
            + "\"payload\":" + PAYLOAD + ",\"priority\":0}";
    private static final String BATCH = "{\"batch_id\":\"b\",\"parts\":[" + PART + "]}";
    private static final String BATCHES = "/v1/outbox/batches";

    @AfterAll
    static void close() {
        EDGE.close();
    }

    @BeforeEach
    void forget() {
        OUTBOX.forget();
    }

    @Test
    void theExampleThatIsMadeBadIsGood() {
        assertThat(EDGE.post(BATCHES, BATCH).send().status()).isEqualTo(201);
    }

    static Stream<Arguments> batches() {
        return Stream.of(
                arguments("empty", "", 400, "malformed", ""),
                arguments("blank", " \n", 400, "malformed", ""),
                arguments("null", "null", 422, "invalid_field", ""),
                arguments("an array", "[]", 422, "invalid_field", ""),
                arguments("a string", "\"x\"", 422, "invalid_field", ""),
                arguments("truncated", BATCH.substring(0, 40), 400, "malformed", "/parts/0/bot_id"),
                arguments("trailing bytes", BATCH + " x", 400, "malformed", ""),
                arguments("a second value", BATCH + BATCH, 400, "malformed", ""),
                arguments(
                        "duplicate keys",
                        BATCH.replace("\"parts\"", "\"batch_id\":\"c\",\"parts\""),
                        400,
                        "malformed",
                        "/batch_id"),
                arguments(
                        "duplicate keys in a payload",
                        payload("{\"a\":1,\"a\":2}"),
                        400,
                        "malformed",
                        "/parts/0/payload/a"),
                arguments(
                        "duplicate keys by escape",
                        payload("{\"a\":1,\"\\u0061\":2}"),
                        400,
                        "malformed",
                        "/parts/0/payload/a"),
                arguments(
                        "depth 100,000",
                        payload("{\"a\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}"),
                        400,
                        "malformed",
                        null),
                arguments("depth 100,000 at the root", "[".repeat(100_000), 422, "invalid_field", ""),
                arguments(
                        "depth 65", payload("{\"a\":" + "[".repeat(61) + "]".repeat(61) + "}"), 400, "malformed", null),
                arguments("20 MB string", payload("{\"a\":\"" + "x".repeat(20_000_000) + "\"}"), 413, "too_large", ""),
                arguments(
                        "1.1 MiB payload",
                        payload("{\"a\":\"" + "x".repeat(1_150_000) + "\"}"),
                        413,
                        "too_large",
                        "/parts/0/payload"),
                arguments(
                        "1,000-digit number",
                        payload("{\"a\":" + "9".repeat(1_000) + "}"),
                        422,
                        "number_out_of_range",
                        "/parts/0/payload/a"),
                arguments(
                        "million-digit number",
                        payload("{\"a\":" + "9".repeat(1_000_000) + "}"),
                        422,
                        "number_out_of_range",
                        "/parts/0/payload/a"),
                arguments("1e999", payload("{\"a\":[1,1e999]}"), 422, "number_out_of_range", "/parts/0/payload/a/1"),
                arguments("1e-99999", payload("{\"a\":1e-99999}"), 422, "number_out_of_range", "/parts/0/payload/a"),
                arguments(
                        "exponent past int",
                        payload("{\"a\":1e99999999999}"),
                        422,
                        "number_out_of_range",
                        "/parts/0/payload/a"),
                arguments(
                        "zero with an exponent past int",
                        payload("{\"a\":0e99999999999}"),
                        422,
                        "number_out_of_range",
                        "/parts/0/payload/a"),
                arguments(
                        "tiny with an exponent past int",
                        payload("{\"a\":1e-99999999999}"),
                        422,
                        "number_out_of_range",
                        "/parts/0/payload/a"),
                arguments("NaN", payload("{\"a\":NaN}"), 400, "malformed", "/parts/0/payload/a"),
                arguments("Infinity", payload("{\"a\":-Infinity}"), 400, "malformed", null),
                arguments("leading zero", payload("{\"a\":01}"), 400, "malformed", null),
                arguments("comment", "/* */" + BATCH, 400, "malformed", ""),
                arguments("single quotes", BATCH.replace('"', '\''), 400, "malformed", ""),
                arguments(
                        "lone surrogate in a payload",
                        payload("{\"a\":\"\\ud83d\"}"),
                        422,
                        "invalid_field",
                        "/parts/0/payload/a"),
                arguments(
                        "surrogates the wrong way round",
                        payload("{\"a\":\"\\ude00\\ud83d\"}"),
                        422,
                        "invalid_field",
                        "/parts/0/payload/a"),
                arguments("lone surrogate in a name", payload("{\"\\ud83d\":1}"), 422, "invalid_field", null),
                arguments(
                        "lone surrogate in a field",
                        with("ordering_key", "\"\\udc00\""),
                        422,
                        "invalid_field",
                        "/parts/0/ordering_key"),
                arguments(
                        "\\u0000 in a payload",
                        payload("{\"a\":\"x\\u0000\"}"),
                        422,
                        "invalid_field",
                        "/parts/0/payload/a"),
                arguments("\\u0000 in a payload's name", payload("{\"x\\u0000\":1}"), 422, "invalid_field", null),
                arguments(
                        "\\u0000 in a field",
                        BATCH.replace("\"batch_id\":\"b\"", "\"batch_id\":\"b\\u0000\""),
                        422,
                        "invalid_field",
                        "/batch_id"),
                arguments("a raw control character", payload("{\"a\":\"x\ny\"}"), 400, "malformed", null),
                arguments("huge name", payload("{\"" + "n".repeat(60_000) + "\":1}"), 400, "malformed", null),
                arguments(
                        "unknown field",
                        BATCH.replace("\"priority\"", "\"priorty\""),
                        422,
                        "invalid_field",
                        "/parts/0/priorty"),
                arguments("unknown field with a slash", with("../a~b", "1"), 422, "invalid_field", "/parts/0/..~1a~0b"),
                arguments("million keys", millionKeys(), 422, "invalid_field", "/k0"),
                arguments("million keys in a payload", payload(millionKeys()), 413, "too_large", "/parts/0/payload"),
                arguments("wrong type: string", with("method_kind", "5"), 422, "invalid_field", "/parts/0/method_kind"),
                arguments("wrong type: object", with("payload", "\"x\""), 422, "invalid_field", "/parts/0/payload"),
                arguments("wrong type: null", with("bot_id", "null"), 422, "invalid_field", "/parts/0/bot_id"),
                arguments(
                        "wrong type: boolean",
                        with("protected", "\"true\""),
                        422,
                        "invalid_field",
                        "/parts/0/protected"),
                arguments("wrong type: array", "{\"batch_id\":\"b\",\"parts\":{}}", 422, "invalid_field", "/parts"),
                arguments("no parts", "{\"batch_id\":\"b\",\"parts\":[]}", 422, "invalid_field", "/parts"),
                arguments("parts missing", "{\"batch_id\":\"b\"}", 422, "invalid_field", "/parts"),
                arguments(
                        "batch_id missing",
                        BATCH.replace("\"batch_id\":\"b\",", ""),
                        422,
                        "invalid_field",
                        "/batch_id"),
                arguments(
                        "bot_id missing",
                        BATCH.replace("\"bot_id\":\"7\",", ""),
                        422,
                        "invalid_field",
                        "/parts/0/bot_id"),
                arguments("empty batch_id", BATCH.replace("\"b\"", "\"\""), 422, "invalid_field", "/batch_id"),
                arguments(
                        "long batch_id",
                        BATCH.replace("\"b\"", "\"" + "b".repeat(513) + "\""),
                        422,
                        "invalid_field",
                        "/batch_id"),
                arguments(
                        "unknown policy",
                        with("delivery_policy", "\"sometimes\""),
                        422,
                        "invalid_field",
                        "/parts/0/delivery_policy"),
                arguments("negative bot", with("bot_id", "-7"), 422, "invalid_field", "/parts/0/bot_id"),
                arguments(
                        "id past 2^63",
                        with("dialog_job_id", "9223372036854775808"),
                        422,
                        "number_out_of_range",
                        "/parts/0/dialog_job_id"),
                arguments(
                        "id below -2^63",
                        with("chat_id", "-9223372036854775809"),
                        422,
                        "number_out_of_range",
                        "/parts/0/chat_id"),
                arguments("fraction as an id", with("chat_id", "1.5"), 422, "invalid_field", "/parts/0/chat_id"),
                arguments(
                        "priority past smallint", with("priority", "32768"), 422, "invalid_field", "/parts/0/priority"),
                arguments("year 1", time("0001-01-01T00:00:00Z"), 422, "invalid_field", "/parts/0/available_at"),
                arguments("year 9999", time("9999-12-31T23:59:59Z"), 422, "invalid_field", "/parts/0/available_at"),
                arguments("second 60", time("2026-06-30T23:59:60Z"), 422, "invalid_field", "/parts/0/available_at"),
                arguments("no offset", time("2026-06-30T23:59:59"), 422, "invalid_field", "/parts/0/available_at"),
                arguments("no such day", time("2026-02-30T00:00:00Z"), 422, "invalid_field", "/parts/0/available_at"),
                arguments("hour 24", time("2026-02-28T24:00:00Z"), 422, "invalid_field", "/parts/0/available_at"),
                arguments(
                        "a time as a number",
                        with("available_at", "1767225600"),
                        422,
                        "invalid_field",
                        "/parts/0/available_at"),
                arguments(
                        "digest in capitals",
                        with("blob", "{\"sha256\":\"" + "A".repeat(64) + "\"}"),
                        422,
                        "invalid_field",
                        "/parts/0/blob/sha256"),
                arguments(
                        "3,001 parts",
                        "{\"batch_id\":\"b\",\"parts\":[" + String.join(",", java.util.Collections.nCopies(3_001, PART))
                                + "]}",
                        413,
                        "too_large",
                        "/parts"));
    }

    private static String payload(String payload) {
        return BATCH.replace(PAYLOAD, payload);
    }

    /** The part with one field set, or set otherwise. */
    private static String with(String name, String value) {
        String without =
                PART.replaceAll("\"" + java.util.regex.Pattern.quote(name) + "\":(\"[^\"]*\"|\\{[^}]*}|[^,}]*),?", "");
        return BATCH.replace(
                PART, "{\"" + name + "\":" + value + "," + without.substring(1).replace(",}", "}"));
    }

    private static String time(String text) {
        return with("available_at", "\"" + text + "\"");
    }

    private static String millionKeys() {
        return IntStream.range(0, 1_000_000)
                .mapToObj(i -> "\"k" + i + "\":1")
                .collect(Collectors.joining(",", "{", "}"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("batches")
    @DisplayName("API-1 API-4 bad batches")
    void badBatch(String what, String body, int status, String code, String pointer) {
        EdgeFixture.Answer answer = EDGE.post(BATCHES, body).bad().send();
        assertThat(answer.status()).as(answer.text()).isEqualTo(status);
        assertThat(answer.code()).isEqualTo(code);
        if (pointer != null) {
            assertThat(answer.pointer()).as(answer.text()).isEqualTo(pointer);
        }
        assertThat(OUTBOX.untouched()).isTrue();
    }

    static Stream<Arguments> bytes() {
        byte[] bom = concat(new byte[] {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF}, BATCH.getBytes(StandardCharsets.UTF_8));
        return Stream.of(
                arguments("byte order mark", bom),
                arguments("bytes in UTF-16", BATCH.getBytes(StandardCharsets.UTF_16)),
                arguments("bytes in UTF-16 without a mark", BATCH.getBytes(StandardCharsets.UTF_16BE)),
                arguments("bytes in UTF-32", BATCH.getBytes(java.nio.charset.Charset.forName("UTF-32"))),
                arguments("Latin-1", inText(new byte[] {(byte) 0xE9})),
                arguments("overlong slash", inText(new byte[] {(byte) 0xC0, (byte) 0xAF})),
                arguments("overlong zero", inText(new byte[] {(byte) 0xC0, (byte) 0x80})),
                arguments("overlong of three", inText(new byte[] {(byte) 0xE0, (byte) 0x80, (byte) 0xAF})),
                arguments("surrogate in UTF-8", inText(new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80})),
                arguments("past U+10FFFF", inText(new byte[] {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80})),
                arguments("cut sequence", inText(new byte[] {(byte) 0xE2, (byte) 0x82})),
                arguments("a zero byte", inText(new byte[] {0})));
    }

    private static byte[] inText(byte[] bytes) {
        int at = BATCH.indexOf("Hello");
        return concat(
                concat(BATCH.substring(0, at).getBytes(StandardCharsets.UTF_8), bytes),
                BATCH.substring(at).getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = java.util.Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bytes")
    @DisplayName("API-1 bytes that are not UTF-8")
    void notUtf8(String what, byte[] body) {
        EdgeFixture.Answer answer =
                EDGE.call("POST", BATCHES, body, "application/json").bad().send();
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("malformed");
        assertThat(OUTBOX.untouched()).isTrue();
    }

    static Stream<Arguments> others() {
        String id = "\"id\":\"AAZhhG8AK8AAAAAAAAAAAQ\"";
        return Stream.of(
                arguments("claims", "{}", "/worker_id"),
                arguments("claims", "{\"worker_id\":\"\"}", "/worker_id"),
                arguments("claims", "{\"worker_id\":\"w\",\"limit\":257}", "/limit"),
                arguments("claims", "{\"worker_id\":\"w\",\"limit\":0}", "/limit"),
                arguments("claims", "{\"worker_id\":\"w\",\"lease_seconds\":901}", "/lease_seconds"),
                arguments("claims", "{\"worker_id\":\"w\",\"lease_seconds\":0}", "/lease_seconds"),
                arguments("claims", "{\"worker_id\":\"w\",\"wait_seconds\":31}", "/wait_seconds"),
                arguments("claims", "{\"worker_id\":\"w\",\"bot_ids\":[]}", "/bot_ids"),
                arguments("claims", "{\"worker_id\":\"w\",\"bot_ids\":[\"7\",-1]}", "/bot_ids/1"),
                arguments("claims", "{\"worker_id\":\"w\",\"claim_id\":\"1-1-1-1-1\"}", "/claim_id"),
                arguments("claims", "{\"worker_id\":\"w\",\"bots\":[]}", "/bots"),
                arguments("starts", "{}", "/items"),
                arguments("starts", "{\"items\":[]}", "/items"),
                arguments("starts", "{\"items\":[{" + id + "}]}", "/items/0/lease_token"),
                arguments("starts", "{\"items\":[{\"lease_token\":1}]}", "/items/0/id"),
                arguments("starts", "{\"items\":[{" + id + ",\"lease_token\":-1}]}", "/items/0/lease_token"),
                arguments("starts", "{\"items\":[null]}", "/items/0"),
                arguments(
                        "starts",
                        "{\"items\":[{" + id + ",\"lease_token\":1},{" + id + ",\"lease_token\":2}]}",
                        "/items/1/id"),
                arguments(
                        "starts", "{\"items\":[{" + id + ",\"lease_token\":1}],\"lease_seconds\":9}", "/lease_seconds"),
                arguments(
                        "renewals",
                        "{\"items\":[{" + id + ",\"lease_token\":1}],\"lease_seconds\":901}",
                        "/lease_seconds"),
                settlement(id, "\"message_ids\":[\"5\"]", "/items/0/outcome"),
                settlement(id, "\"outcome\":\"sent\"", "/items/0/outcome"),
                settlement(id, "\"outcome\":\"release\",\"error\":\"x\"", "/items/0/error"),
                settlement(id, "\"outcome\":\"delivered\",\"delay_ms\":1", "/items/0/delay_ms"),
                settlement(id, "\"outcome\":\"delivered\",\"message_ids\":[-5]", "/items/0/message_ids/0"),
                settlement(id, "\"outcome\":\"delivered\",\"receipt\":[]", "/items/0/receipt"),
                settlement(id, "\"outcome\":\"retry\",\"throttle_scope\":\"bot\"", "/items/0/throttle_scope"),
                settlement(id, "\"outcome\":\"retry\",\"delay_ms\":-1", "/items/0/delay_ms"),
                settlement(id, "\"outcome\":\"retry\",\"http_status\":429,\"delay_ms\":1", "/items/0/delay_ms"),
                settlement(id, "\"outcome\":\"retry\",\"http_status\":42", "/items/0/http_status"),
                settlement(
                        id, "\"outcome\":\"retry\",\"delay_ms\":1,\"retry_at\":\"2026-12-01T00:00:00Z\"", "/items/0"));
    }

    private static Arguments settlement(String id, String rest, String pointer) {
        return arguments("settlements", "{\"items\":[{" + id + ",\"lease_token\":1," + rest + "}]}", pointer);
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("others")
    @DisplayName("API-1 bad claims, starts, renewals, settlements")
    void badOther(String route, String body, String pointer) {
        EdgeFixture.Answer answer = EDGE.post("/v1/outbox/" + route, body).bad().send();
        assertThat(answer.status()).as(answer.text()).isEqualTo(422);
        assertThat(answer.code()).isEqualTo("invalid_field");
        assertThat(answer.pointer()).isEqualTo(pointer);
        assertThat(OUTBOX.untouched()).isTrue();
    }

    @Test
    @DisplayName("API-1 a misspelt field is answered with the name it was meant to be")
    void suggestion() {
        String body = BATCH.replace("\"ordering_key\"", "\"ordring_key\"");
        assertThat(EDGE.post(BATCHES, body).bad().send().json().getString("detail"))
                .contains("did you mean ordering_key?");
    }
}
