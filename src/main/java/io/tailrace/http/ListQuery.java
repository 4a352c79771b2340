package io.tailrace.http;

import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.vertx.core.http.HttpServerRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.function.Function;

/**
 * {@code limit} and {@code cursor} of an admin list that is ordered by one text.
 *
 * @param after the last text of the page before; empty for the first page
 */
record ListQuery(String list, String after, int limit) {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;
    private static final int MAX_CURSOR = 4_096;
    private static final char SEPARATOR = '\n';

    /** One page, and the cursor of the next one: {@code null} on the wire when empty. */
    record Page<T>(List<T> items, String next) {}

    /**
     * @param list names the list, so that a cursor of one is no cursor of another
     * @throws Rejection when limit or cursor is not acceptable
     */
    static ListQuery of(HttpServerRequest request, String list) {
        String limit = request.getParam("limit");
        String cursor = request.getParam("cursor");
        return new ListQuery(
                list, cursor == null ? "" : after(cursor, list), limit == null ? DEFAULT_LIMIT : limit(limit));
    }

    private static int limit(String text) {
        if (text.matches("[0-9]{1,4}")) {
            int limit = Integer.parseInt(text);
            if (limit >= 1 && limit <= MAX_LIMIT) {
                return limit;
            }
        }
        throw Problem.outside(ProblemCode.INVALID_FIELD, "query limit", "must be between 1 and " + MAX_LIMIT)
                .rejection();
    }

    private static String after(String cursor, String list) {
        if (cursor.length() <= MAX_CURSOR) {
            try {
                byte[] bytes = Base64.getUrlDecoder().decode(cursor);
                String text = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
                if (text.startsWith(list + SEPARATOR) && text.indexOf('\0') < 0) {
                    return text.substring(list.length() + 1);
                }
            } catch (IllegalArgumentException | CharacterCodingException e) {
                // Answered below, as any other text that is not a cursor of this list.
            }
        }
        throw Problem.outside(ProblemCode.INVALID_FIELD, "query cursor", "is not one that this list gave")
                .rejection();
    }

    /** How many rows to ask for: one more than a page has tells whether there is another page. */
    int fetch() {
        return limit + 1;
    }

    <T> Page<T> page(List<T> fetched, Function<T, String> orderedBy) {
        if (fetched.size() <= limit) {
            return new Page<>(fetched, "");
        }
        List<T> items = fetched.subList(0, limit);
        String last = list + SEPARATOR + orderedBy.apply(items.get(limit - 1));
        String next = Base64.getUrlEncoder().withoutPadding().encodeToString(last.getBytes(StandardCharsets.UTF_8));
        return new Page<>(items, next);
    }
}
