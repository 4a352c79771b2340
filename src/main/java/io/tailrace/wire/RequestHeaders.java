package io.tailrace.wire;

import io.vertx.core.MultiMap;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an enqueue takes from the request's headers.
 *
 * @param idempotencyKey 1 to 255 bytes; null when there was none
 * @param traceparent W3C trace context, as it came; null when there was none or it was not valid
 */
public record RequestHeaders(
        @Nullable String idempotencyKey, @Nullable String traceparent) {
    public static final RequestHeaders NONE = new RequestHeaders(null, null);
    public static final int MAX_IDEMPOTENCY_KEY = 255;
    private static final String IDEMPOTENCY_KEY = "idempotency-key";
    private static final String IDEMPOTENCY_KEY_SYNONYM = "x-idempotency-key";
    private static final String TRACEPARENT = "traceparent";
    private static final int TRACEPARENT_LENGTH = 55;

    /** @throws Rejection when the idempotency key is there more than once, empty or too long */
    public static RequestHeaders of(MultiMap headers) {
        String key = idempotencyKey(headers);
        String traceparent = traceparent(headers);
        return key == null && traceparent == null ? NONE : new RequestHeaders(key, traceparent);
    }

    static @Nullable String idempotencyKey(MultiMap headers) {
        List<String> keys = headers.getAll(IDEMPOTENCY_KEY);
        List<String> synonyms = headers.getAll(IDEMPOTENCY_KEY_SYNONYM);
        if (keys.isEmpty() && synonyms.isEmpty()) {
            return null;
        }
        List<String> all = new ArrayList<>(keys);
        all.addAll(synonyms);
        if (all.size() > 1) {
            throw Problem.outside(ProblemCode.MALFORMED, "header " + IDEMPOTENCY_KEY, "is there more than once")
                    .rejection();
        }
        // Header bytes arrive as Latin-1; what was sent is taken to be UTF-8, as the body is.
        String key = new String(all.get(0).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        if (key.isEmpty() || all.get(0).length() > MAX_IDEMPOTENCY_KEY || key.indexOf('\uFFFD') >= 0) {
            throw Problem.outside(
                            ProblemCode.INVALID_FIELD,
                            "header " + IDEMPOTENCY_KEY,
                            "must have 1 to " + MAX_IDEMPOTENCY_KEY + " bytes of UTF-8")
                    .rejection();
        }
        return key;
    }

    /** An invalid one is ignored, as W3C Trace Context asks: tracing never fails a request. */
    public static @Nullable String traceparent(MultiMap headers) {
        String text = headers.get(TRACEPARENT);
        if (text == null
                || text.length() < TRACEPARENT_LENGTH
                || headers.getAll(TRACEPARENT).size() > 1) {
            return null;
        }
        boolean form = hex(text, 0, 2)
                && text.charAt(2) == '-'
                && hex(text, 3, 35)
                && text.charAt(35) == '-'
                && hex(text, 36, 52)
                && text.charAt(52) == '-'
                && hex(text, 53, 55);
        boolean length = text.startsWith("00")
                ? text.length() == TRACEPARENT_LENGTH
                : text.length() == TRACEPARENT_LENGTH || text.charAt(TRACEPARENT_LENGTH) == '-';
        if (!form || !length || text.startsWith("ff") || zeros(text, 3, 35) || zeros(text, 36, 52)) {
            return null;
        }
        return text.substring(0, TRACEPARENT_LENGTH);
    }

    private static boolean hex(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    private static boolean zeros(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) != '0') {
                return false;
            }
        }
        return true;
    }
}
