package io.tailrace.wire;

import io.tailrace.activity.ActivityRules;
import io.tailrace.activity.DeliveryRequest;
import io.tailrace.activity.DeliveryStatus;
import io.tailrace.activity.Receipt;
import io.tailrace.outbox.BatchRules;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Deliveries that are asked for, and what providers say of them. */
public final class DeliveryDecoder {
    /** Receipts in one call. */
    static final int MAX_RECEIPTS = 1_000;
    /** Characters of what a provider calls a message, and of what it says of a failure. */
    static final int LONGEST_PROVIDER_ID = 512;

    static final int LONGEST_ERROR = 4_096;

    private static final List<String> DELIVERY = List.of("channel_ids", "metadata", "outbox");
    private static final List<String> OUTGOING = List.of("bot_id", "chat_id", "ordering_key", "method_kind", "payload");
    private static final List<String> RECEIPTS = List.of("items");
    private static final List<String> RECEIPT =
            List.of("delivery_id", "channel_id", "provider_message_id", "status", "error", "at");

    private DeliveryDecoder() {}

    /** {@code POST /v1/activities/{id}/deliveries}. */
    public static DeliveryRequest decode(JsonReader in) throws IOException {
        in.beginObject();
        Wanted wanted = new Wanted();
        String name;
        while ((name = in.nextName()) != null) {
            if (!wanted.take(in, name)) {
                throw in.unknown(DELIVERY);
            }
        }
        return wanted.request(in);
    }

    /** The members of a request while they come in: also beside those of an edge that has no path. */
    public static final class Wanted {
        private @Nullable List<UUID> channels;
        private String metadata = "{}";
        private DeliveryRequest.@Nullable Outgoing outgoing;

        /** False for a member that is none of its own. */
        public boolean take(JsonReader in, String name) throws IOException {
            switch (name) {
                case "channel_ids" -> channels = channels(in);
                case "metadata" -> metadata = in.isNull() ? "{}" : in.rawObject(ActivityRules.LARGEST_JSON);
                case "outbox" -> outgoing = in.isNull() ? null : outgoing(in);
                default -> {
                    return false;
                }
            }
            return true;
        }

        public DeliveryRequest request(JsonReader in) {
            if (channels == null) {
                throw in.missing("channel_ids");
            }
            return new DeliveryRequest(channels, metadata, outgoing);
        }
    }

    private static List<UUID> channels(JsonReader in) throws IOException {
        String where = in.pointer();
        in.beginArray();
        Set<UUID> channels = new LinkedHashSet<>();
        while (in.nextElement()) {
            if (channels.size() == DeliveryRequest.MOST_CHANNELS) {
                throw Problem.at(
                                ProblemCode.TOO_LARGE,
                                where,
                                "has more than " + DeliveryRequest.MOST_CHANNELS + " channels")
                        .rejection();
            }
            UUID channel = in.uuidOrNull();
            if (channel == null) {
                throw in.invalid("must be a UUID");
            }
            if (!channels.add(channel)) {
                throw in.invalid("is in this call twice");
            }
        }
        if (channels.isEmpty()) {
            throw Problem.at(ProblemCode.INVALID_FIELD, where, "must name at least one channel")
                    .rejection();
        }
        return List.copyOf(channels);
    }

    private static DeliveryRequest.Outgoing outgoing(JsonReader in) throws IOException {
        String where = in.pointer();
        in.beginObject();
        String bot = null;
        String chat = null;
        String key = null;
        String method = null;
        String payload = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "bot_id" -> bot = limited(in, in.id(false), BatchRules.MAX_BOT_ID);
                case "chat_id" -> chat = in.isNull() ? null : limited(in, in.id(true), BatchRules.MAX_CHAT_ID);
                case "ordering_key" -> key = in.isNull() ? null : limited(in, in.text(), BatchRules.MAX_ORDERING_KEY);
                case "method_kind" -> method = limited(in, in.text(), BatchRules.MAX_METHOD_KIND);
                case "payload" -> payload = in.rawObject(BatchRules.MAX_PAYLOAD_BYTES);
                default -> throw in.unknown(OUTGOING);
            }
        }
        return new DeliveryRequest.Outgoing(
                required(where, "bot_id", bot),
                chat,
                key,
                required(where, "method_kind", method),
                required(where, "payload", payload));
    }

    /** {@code POST /v1/deliveries/receipts}. */
    public static List<Receipt> receipts(JsonReader in) throws IOException {
        in.beginObject();
        List<Receipt> items = null;
        String name;
        while ((name = in.nextName()) != null) {
            if (!name.equals("items")) {
                throw in.unknown(RECEIPTS);
            }
            items = items(in);
        }
        if (items == null) {
            throw in.missing("items");
        }
        return items;
    }

    private static List<Receipt> items(JsonReader in) throws IOException {
        in.beginArray();
        List<Receipt> items = new ArrayList<>();
        while (in.nextElement()) {
            if (items.size() == MAX_RECEIPTS) {
                throw Problem.at(ProblemCode.TOO_LARGE, "/items", "has more than " + MAX_RECEIPTS + " receipts")
                        .rejection();
            }
            items.add(receipt(in));
        }
        if (items.isEmpty()) {
            throw Problem.at(ProblemCode.INVALID_FIELD, "/items", "must have at least one receipt")
                    .rejection();
        }
        return items;
    }

    private static Receipt receipt(JsonReader in) throws IOException {
        String where = in.pointer();
        in.beginObject();
        UUID delivery = null;
        UUID channel = null;
        String message = null;
        DeliveryStatus status = null;
        String error = null;
        Instant at = null;
        String name;
        while ((name = in.nextName()) != null) {
            switch (name) {
                case "delivery_id" -> delivery = in.uuidOrNull();
                case "channel_id" -> channel = in.uuidOrNull();
                case "provider_message_id" ->
                    message = in.isNull() ? null : limited(in, in.id(true), LONGEST_PROVIDER_ID);
                case "status" -> status = status(in);
                case "error" -> error = in.isNull() ? null : limited(in, in.text(), LONGEST_ERROR);
                case "at" -> at = in.instantOrNull();
                default -> throw in.unknown(RECEIPT);
            }
        }
        if (delivery == null) {
            required(where, "channel_id", channel);
            required(where, "provider_message_id", message);
        } else if (channel != null) {
            throw Problem.at(
                            ProblemCode.INVALID_FIELD,
                            where + "/channel_id",
                            "names the delivery a second time; send delivery_id, or channel_id with provider_message_id")
                    .rejection();
        }
        return new Receipt(delivery, channel, message, required(where, "status", status), error, at);
    }

    private static DeliveryStatus status(JsonReader in) throws IOException {
        return DeliveryStatus.of(in.text())
                .filter(status -> status != DeliveryStatus.PENDING)
                .orElseThrow(() -> in.invalid("must be one of sent, delivered, read, failed"));
    }

    /** A status to look for; null: any. @throws Rejection for one that there is not */
    public static @Nullable DeliveryStatus filter(@Nullable String status, String place) {
        if (status == null) {
            return null;
        }
        return DeliveryStatus.of(status).orElseThrow(() -> Problem.outside(
                        ProblemCode.INVALID_FIELD,
                        place,
                        "must be one of "
                                + Arrays.stream(DeliveryStatus.values())
                                        .map(DeliveryStatus::wire)
                                        .collect(Collectors.joining(", ")))
                .rejection());
    }

    private static String limited(JsonReader in, String value, int most) {
        if (value.isEmpty() || value.length() > most) {
            throw in.invalid("must have 1 to " + most + " characters");
        }
        return value;
    }

    private static <T> T required(String where, String member, @Nullable T value) {
        if (value == null) {
            throw Problem.at(ProblemCode.INVALID_FIELD, where + "/" + member, "is required")
                    .rejection();
        }
        return value;
    }
}
