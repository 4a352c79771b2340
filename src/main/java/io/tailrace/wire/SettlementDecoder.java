package io.tailrace.wire;

import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.Settlement;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/outbox/settlements}: how leases end, one outcome each, and only the fields that go with it. */
public final class SettlementDecoder {
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int MAX_ERROR_CLASS = 128;
    private static final int MAX_RESPONSE_KIND = 64;
    private static final int MAX_MESSAGE_IDS = 100;
    /** What a provider said is kept for people; a longer text is cut rather than the outcome lost. */
    private static final int MAX_ERROR = 4_000;

    private static final long MAX_DELAY_MILLIS = Duration.ofDays(31).toMillis();

    private static final List<String> SETTLEMENTS = List.of("items");
    // What may be told with which outcome. A release was not sent, so there is nothing to tell.
    private static final Set<String> RELEASE = Set.of("id", "lease_token", "outcome");
    private static final Set<String> FAILED =
            Set.of("id", "lease_token", "outcome", "error_class", "error", "http_status");
    private static final Set<String> DELIVERED =
            Set.of("id", "lease_token", "outcome", "message_ids", "receipt", "response_kind", "http_status");
    private static final Set<String> RETRY = Set.of(
            "id", "lease_token", "outcome", "error_class", "error", "http_status", "delay_ms", "retry_at", "payload");
    private static final Set<String> THROTTLED = Set.of(
            "id",
            "lease_token",
            "outcome",
            "error_class",
            "error",
            "http_status",
            "retry_after_seconds",
            "throttle_scope");
    private static final List<String> OUTCOMES = List.of("delivered", "retry", "release", "ambiguous", "dead_letter");
    private static final List<String> FIELDS = List.of(
            "id",
            "lease_token",
            "outcome",
            "message_ids",
            "receipt",
            "response_kind",
            "http_status",
            "delay_ms",
            "retry_at",
            "retry_after_seconds",
            "throttle_scope",
            "payload",
            "error_class",
            "error");

    private SettlementDecoder() {}

    public static List<LeaseDecoder.Item<Settlement>> decode(JsonReader in) throws IOException {
        in.beginObject();
        List<LeaseDecoder.Item<Settlement>> items = null;
        String name;
        while ((name = in.nextName()) != null) {
            if (!name.equals("items")) {
                throw in.unknown(SETTLEMENTS);
            }
            items = LeaseDecoder.items(in, it -> new Fields(it).settlement());
        }
        if (items == null) {
            throw in.missing("items");
        }
        return items;
    }

    /** One settlement while it is being read; the outcome may come after the fields that depend on it. */
    private static final class Fields {
        private final JsonReader in;
        private final List<String> given = new ArrayList<>();
        private @Nullable String id;
        private @Nullable Long token;
        private @Nullable String outcome;
        private List<String> messageIds = List.of();
        private @Nullable String receipt;
        private @Nullable String responseKind;
        private @Nullable Integer httpStatus;
        private @Nullable Long delayMillis;
        private @Nullable Instant retryAt;
        private @Nullable Long retryAfterSeconds;
        private boolean wholeBot;
        private @Nullable String payload;
        private @Nullable String errorClass;
        private @Nullable String error;

        Fields(JsonReader in) {
            this.in = in;
        }

        LeaseDecoder.Item<Settlement> settlement() throws IOException {
            in.beginObject();
            String name;
            while ((name = in.nextName()) != null) {
                if (!in.isNull()) {
                    given.add(name);
                }
                read(name);
            }
            if (outcome == null) {
                throw in.missing("outcome");
            }
            LeaseDecoder.Item<Lease> lease = LeaseDecoder.lease(in, id, token);
            Lease held = lease.value();
            // Checked before the id is looked at: a wrong field is the caller's mistake whatever the id is.
            Set<String> allowed = allowed();
            for (String field : given) {
                if (!allowed.contains(field)) {
                    throw Problem.at(
                                    ProblemCode.INVALID_FIELD,
                                    in.pointer() + "/" + field,
                                    "does not go with this outcome")
                            .rejection();
                }
            }
            if (delayMillis != null && retryAt != null) {
                throw in.invalid("has both delay_ms and retry_at");
            }
            return new LeaseDecoder.Item<>(lease.id(), held == null ? null : of(held, outcome));
        }

        private void read(String name) throws IOException {
            switch (name) {
                case "id" -> id = in.text();
                case "lease_token" -> token = LeaseDecoder.leaseToken(in);
                case "outcome" -> outcome = oneOf(OUTCOMES);
                case "message_ids" -> messageIds = in.isNull() ? List.of() : messageIds();
                case "receipt" -> receipt = in.rawObjectOrNull(BatchRules.MAX_PAYLOAD_BYTES);
                case "response_kind" -> responseKind = atMost(MAX_RESPONSE_KIND);
                case "http_status" -> {
                    Long status = in.numberOrNull(100, 599);
                    httpStatus = status == null ? null : status.intValue();
                }
                case "delay_ms" -> delayMillis = in.numberOrNull(0, MAX_DELAY_MILLIS);
                case "retry_at" -> retryAt = in.instantOrNull();
                case "retry_after_seconds" -> retryAfterSeconds = in.numberOrNull(0, MAX_DELAY_MILLIS / 1_000);
                case "throttle_scope" ->
                    wholeBot = !in.isNull() && oneOf(List.of("key", "bot")).equals("bot");
                case "payload" -> payload = in.rawObjectOrNull(BatchRules.MAX_PAYLOAD_BYTES);
                case "error_class" -> errorClass = atMost(MAX_ERROR_CLASS);
                case "error" -> error = cut(in.textOrNull());
                default -> throw in.unknown(FIELDS);
            }
        }

        private Set<String> allowed() {
            return switch (String.valueOf(outcome)) {
                case "delivered" -> DELIVERED;
                case "retry" -> throttled() ? THROTTLED : RETRY;
                case "release" -> RELEASE;
                default -> FAILED;
            };
        }

        private boolean throttled() {
            return retryAfterSeconds != null
                    || Integer.valueOf(TOO_MANY_REQUESTS).equals(httpStatus);
        }

        private Settlement of(Lease lease, String ending) {
            Settlement.Failure failure = new Settlement.Failure(errorClass, error, httpStatus);
            return switch (ending) {
                case "delivered" -> new Settlement.Delivered(lease, messageIds, receipt, responseKind, httpStatus);
                case "release" -> new Settlement.Release(lease);
                case "ambiguous" -> new Settlement.Ambiguous(lease, failure);
                case "dead_letter" -> new Settlement.DeadLetter(lease, failure);
                default ->
                    throttled()
                            ? new Settlement.Throttled(
                                    lease,
                                    retryAfterSeconds == null ? null : Duration.ofSeconds(retryAfterSeconds),
                                    wholeBot,
                                    failure)
                            : new Settlement.Retry(
                                    lease,
                                    delayMillis == null ? null : Duration.ofMillis(delayMillis),
                                    retryAt,
                                    payload,
                                    failure);
            };
        }

        private List<String> messageIds() throws IOException {
            in.beginArray();
            List<String> ids = new ArrayList<>();
            while (in.nextElement()) {
                String messageId = in.id(false);
                if (messageId.isEmpty() || messageId.length() > BatchRules.MAX_OTHER_ID) {
                    throw in.invalid("must have 1 to " + BatchRules.MAX_OTHER_ID + " characters");
                }
                if (ids.size() == MAX_MESSAGE_IDS) {
                    throw in.invalid("is one too many: at most " + MAX_MESSAGE_IDS);
                }
                ids.add(messageId);
            }
            return ids;
        }

        private String oneOf(List<String> known) throws IOException {
            String text = in.text();
            if (!known.contains(text)) {
                throw in.invalid("must be one of " + String.join(", ", known));
            }
            return text;
        }

        private @Nullable String atMost(int max) throws IOException {
            String text = in.textOrNull();
            if (text != null && text.length() > max) {
                throw in.invalid("must have at most " + max + " characters");
            }
            return text;
        }

        private static @Nullable String cut(@Nullable String text) {
            if (text == null || text.length() <= MAX_ERROR) {
                return text;
            }
            int end = Character.isHighSurrogate(text.charAt(MAX_ERROR - 1)) ? MAX_ERROR - 1 : MAX_ERROR;
            return text.substring(0, end);
        }
    }
}
