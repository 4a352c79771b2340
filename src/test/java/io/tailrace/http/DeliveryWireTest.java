package io.tailrace.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tailrace.activity.Delivery;
import io.tailrace.activity.DeliveryRequest;
import io.tailrace.activity.DeliveryResult;
import io.tailrace.activity.DeliveryStatus;
import io.tailrace.activity.Receipt;
import io.tailrace.activity.ReceiptResult;
import io.tailrace.wire.DeliveryDecoder;
import io.tailrace.wire.DeliveryReplies;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.Reply;
import io.tailrace.wire.StrictJson;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The JSON of deliveries and receipts, in and out. */
class DeliveryWireTest {
    private static final StrictJson JSON = new StrictJson(64);
    private static final UUID ID = UUID.fromString("0193a8f0-0000-7000-8000-000000000001");
    private static final UUID CHANNEL = UUID.fromString("6f1c0f7e-2a52-4d0c-9a53-000000000002");
    private static final Instant AT = Instant.parse("2026-11-30T20:41:26.123456Z");

    private static <T> T read(String body, StrictJson.Decoder<T> decoder) {
        return JSON.read(body.getBytes(StandardCharsets.UTF_8), decoder);
    }

    private static JsonObject json(Reply reply) {
        return new JsonObject(JsonBody.of(reply.content()));
    }

    private static Problem problem(Runnable refused) {
        try {
            refused.run();
        } catch (Rejection e) {
            return e.problem();
        }
        throw new AssertionError("not refused");
    }

    @Test
    @DisplayName(
            "ACT-9 what is to be delivered: channels in their order, and how the outbox sends it, its payload untouched")
    void request() {
        DeliveryRequest plain = read("{\"channel_ids\":[\"" + CHANNEL + "\",\"" + ID + "\"]}", DeliveryDecoder::decode);
        assertThat(plain).isEqualTo(new DeliveryRequest(List.of(CHANNEL, ID), "{}", null));
        String payload = "{\"chat_id\":-1001, \"n\": 1.50}";
        DeliveryRequest sent = read(
                "{\"channel_ids\":[\"" + CHANNEL
                        + "\"],\"metadata\":{\"a\": 1.0},\"outbox\":{\"bot_id\":7,\"chat_id\":-1001,"
                        + "\"method_kind\":\"sendMessage\",\"payload\":" + payload + "}}",
                DeliveryDecoder::decode);
        assertThat(sent.metadataJson()).isEqualTo("{\"a\": 1.0}");
        assertThat(sent.outgoing()).isEqualTo(new DeliveryRequest.Outgoing("7", "-1001", null, "sendMessage", payload));
    }

    static Stream<Arguments> badRequests() {
        String channels = "\"channel_ids\":[\"" + CHANNEL + "\"]";
        return Stream.of(
                arguments("{}", "/channel_ids"),
                arguments("{\"channel_ids\":[]}", "/channel_ids"),
                arguments("{\"channel_ids\":null}", "/channel_ids"),
                arguments("{\"channel_ids\":[null]}", "/channel_ids/0"),
                arguments("{\"channel_ids\":[\"x\"]}", "/channel_ids/0"),
                arguments("{\"channel_ids\":[\"" + CHANNEL + "\",\"" + CHANNEL + "\"]}", "/channel_ids/1"),
                arguments("{" + channels + ",\"metadata\":[]}", "/metadata"),
                arguments("{" + channels + ",\"outbox\":[]}", "/outbox"),
                arguments("{" + channels + ",\"outbox\":{}}", "/outbox/bot_id"),
                arguments("{" + channels + ",\"outbox\":{\"bot_id\":\"7\"}}", "/outbox/method_kind"),
                arguments("{" + channels + ",\"outbox\":{\"bot_id\":\"7\",\"method_kind\":\"m\"}}", "/outbox/payload"),
                arguments("{" + channels + ",\"outbox\":{\"bot_id\":-7}}", "/outbox/bot_id"),
                arguments("{" + channels + ",\"outbox\":{\"priority\":1}}", "/outbox/priority"),
                arguments("{" + channels + ",\"chanel_ids\":[]}", "/chanel_ids"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badRequests")
    @DisplayName("API-1 bad deliveries")
    void badRequest(String body, String pointer) {
        Problem problem = problem(() -> read(body, DeliveryDecoder::decode));
        assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_FIELD);
        assertThat(problem.errors().get(0).pointer()).isEqualTo(pointer);
    }

    @Test
    @DisplayName("ACT-10 a receipt names its delivery, or its channel and the provider's own id")
    void receipts() {
        assertThat(read(
                        "{\"items\":[{\"channel_id\":\"" + CHANNEL
                                + "\",\"provider_message_id\":55,\"status\":\"read\","
                                + "\"at\":\"2026-11-30T21:41:26.123456+01:00\"},{\"delivery_id\":\"" + ID
                                + "\",\"status\":\"failed\",\"error\":\"gone\",\"provider_message_id\":\"m\"}]}",
                        DeliveryDecoder::receipts))
                .containsExactly(
                        new Receipt(null, CHANNEL, "55", DeliveryStatus.READ, null, AT),
                        new Receipt(ID, null, "m", DeliveryStatus.FAILED, "gone", null));
    }

    static Stream<Arguments> badReceipts() {
        String delivery = "\"delivery_id\":\"" + ID + "\"";
        return Stream.of(
                arguments("{}", "/items"),
                arguments("{\"items\":[]}", "/items"),
                arguments("{\"items\":[{\"status\":\"sent\"}]}", "/items/0/channel_id"),
                arguments(
                        "{\"items\":[{\"status\":\"sent\",\"channel_id\":\"" + CHANNEL + "\"}]}",
                        "/items/0/provider_message_id"),
                arguments("{\"items\":[{" + delivery + "}]}", "/items/0/status"),
                arguments("{\"items\":[{" + delivery + ",\"status\":\"pending\"}]}", "/items/0/status"),
                arguments("{\"items\":[{" + delivery + ",\"status\":\"SENT\"}]}", "/items/0/status"),
                arguments("{\"items\":[{" + delivery + ",\"status\":null}]}", "/items/0/status"),
                arguments(
                        "{\"items\":[{" + delivery + ",\"status\":\"sent\",\"channel_id\":\"" + CHANNEL + "\"}]}",
                        "/items/0/channel_id"),
                arguments(
                        "{\"items\":[{" + delivery + ",\"status\":\"sent\",\"at\":\"9999-12-31T00:00:00Z\"}]}",
                        "/items/0/at"),
                arguments(
                        "{\"items\":[{" + delivery + ",\"status\":\"sent\",\"at\":\"2026-12-01T00:00:60Z\"}]}",
                        "/items/0/at"),
                arguments(
                        "{\"items\":[{" + delivery + ",\"status\":\"sent\",\"provider_message_id\":\"\"}]}",
                        "/items/0/provider_message_id"),
                arguments("{\"items\":[null]}", "/items/0"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badReceipts")
    @DisplayName("API-1 bad receipts")
    void badReceipt(String body, String pointer) {
        Problem problem = problem(() -> read(body, DeliveryDecoder::receipts));
        assertThat(problem.code()).isEqualTo(ProblemCode.INVALID_FIELD);
        assertThat(problem.errors().get(0).pointer()).isEqualTo(pointer);
    }

    @Test
    @DisplayName("API-4 at most 100 channels and 1,000 receipts in one call")
    void bounds() {
        String channels = String.join(
                ",",
                Stream.generate(UUID::randomUUID)
                        .limit(101)
                        .map(id -> "\"" + id + "\"")
                        .toList());
        assertThat(problem(() -> read("{\"channel_ids\":[" + channels + "]}", DeliveryDecoder::decode))
                        .code())
                .isEqualTo(ProblemCode.TOO_LARGE);
        String receipt = "{\"delivery_id\":\"" + ID + "\",\"status\":\"sent\"}";
        String receipts = String.join(",", Collections.nCopies(1_001, receipt));
        assertThat(problem(() -> read("{\"items\":[" + receipts + "]}", DeliveryDecoder::receipts))
                        .code())
                .isEqualTo(ProblemCode.TOO_LARGE);
        assertThatThrownBy(() -> DeliveryDecoder.filter("sending", "query status"))
                .isInstanceOf(Rejection.class);
        assertThat(DeliveryDecoder.filter(null, "query status")).isNull();
    }

    @Test
    @DisplayName(
            "ACT-9 what was made is 201, what was there 200, and what cannot be has its code: 404, 410, 422, the outbox's own")
    void made() {
        Delivery delivery = new Delivery(
                ID, ID, ID, AT, CHANNEL, DeliveryStatus.SENT, 1, null, AT, null, null, "55", "{\"n\": 1.50}", AT, AT);
        Reply made = DeliveryReplies.made(new DeliveryResult.Done(List.of(delivery), true));
        assertThat(made.status()).isEqualTo(201);
        JsonObject item = json(made).getJsonArray("items").getJsonObject(0);
        assertThat(item.getString("channel_id")).isEqualTo(CHANNEL.toString());
        assertThat(item.getString("status")).isEqualTo("sent");
        assertThat(item.getString("sent_at")).isEqualTo("2026-11-30T20:41:26.123456Z");
        assertThat(item.getString("read_at")).isNull();
        assertThat(JsonBody.of(made.content()).toString()).contains("1.50");
        assertThat(DeliveryReplies.made(new DeliveryResult.Done(List.of(delivery), false))
                        .status())
                .isEqualTo(200);
        assertThat(json(DeliveryReplies.list(Optional.of(List.of())))).isEqualTo(new JsonObject("{\"items\":[]}"));

        assertThat(problem(() -> DeliveryReplies.made(new DeliveryResult.NoActivity()))
                        .code())
                .isEqualTo(ProblemCode.NOT_FOUND);
        assertThat(problem(() -> DeliveryReplies.list(Optional.empty())).code()).isEqualTo(ProblemCode.NOT_FOUND);
        Problem archived = problem(() -> DeliveryReplies.made(new DeliveryResult.Archived()));
        assertThat(archived.code().status()).isEqualTo(410);
        assertThat(archived.code().wire()).isEqualTo("activity_archived");
        assertThat(problem(() -> DeliveryReplies.made(new DeliveryResult.NoChannel(CHANNEL)))
                        .errors()
                        .get(0)
                        .pointer())
                .isEqualTo("/channel_ids");
        Problem refused = problem(() -> DeliveryReplies.made(
                new DeliveryResult.Refused("idempotency_conflict", "/parts/3/payload", "differs")));
        assertThat(refused.code()).isEqualTo(ProblemCode.IDEMPOTENCY_CONFLICT);
        assertThat(refused.errors().get(0).pointer()).isEqualTo("/outbox/payload");
    }

    @Test
    @DisplayName("ACT-10 200 when all receipts were about something, 207 when one was not: it is reported, not ignored")
    void received() {
        ReceiptResult known = new ReceiptResult.Known(ID, DeliveryStatus.READ, true);
        Reply all = DeliveryReplies.received(List.of(known));
        assertThat(all.status()).isEqualTo(200);
        assertThat(json(all).getJsonArray("results").getJsonObject(0))
                .isEqualTo(new JsonObject()
                        .put("ok", true)
                        .put("delivery_id", ID.toString())
                        .put("status", "read")
                        .put("changed", true));
        Reply some = DeliveryReplies.received(List.of(known, new ReceiptResult.Unknown()));
        assertThat(some.status()).isEqualTo(207);
        assertThat(json(some).getJsonArray("results").getJsonObject(1).getString("code"))
                .isEqualTo("not_found");
    }
}
