package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.tailrace.config.Suggestion;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Pulls typed values out of a body, one token after the other, and knows where it is: every complaint carries the
 * pointer of the value it is about. Made by {@link StrictJson#read}.
 */
public final class JsonReader implements AutoCloseable {
    /** Digits and all of one number; PostgreSQL would take more, other programs would not. */
    private static final int MAX_NUMBER_LENGTH = 128;

    private static final int MAX_SCALE = 400;
    private static final int ALWAYS_LONG = 18;

    private final byte[] body;
    private final boolean escapes;
    private final JsonParser parser;

    JsonReader(JsonParser parser, byte[] body, boolean escapes) {
        this.body = body;
        this.escapes = escapes;
        this.parser = parser;
    }

    @Override
    public void close() throws IOException {
        parser.close();
    }

    void begin() throws IOException {
        if (parser.nextToken() == null) {
            throw Problem.of(ProblemCode.MALFORMED, "the body is empty; a JSON object is expected")
                    .rejection();
        }
    }

    void end() throws IOException {
        if (parser.nextToken() != null) {
            throw Problem.of(ProblemCode.MALFORMED, "there is something after the JSON value")
                    .rejection();
        }
    }

    /** RFC 6901, of the current value. */
    public String pointer() {
        return parser.getParsingContext().pathAsPointer().toString();
    }

    public Rejection invalid(String detail) {
        return Problem.at(ProblemCode.INVALID_FIELD, pointer(), detail).rejection();
    }

    /** At a member of the object that was read last or is being read. */
    public Rejection missing(String member) {
        return Problem.at(ProblemCode.INVALID_FIELD, pointer() + "/" + member, "is required")
                .rejection();
    }

    /** For a name that no decoder knows; {@code known} are those it could have been. */
    public Rejection unknown(List<String> known) throws IOException {
        String name = String.valueOf(parser.currentName());
        return invalid("is not a known field" + Suggestion.of(name, known));
    }

    public void beginObject() {
        expect(JsonToken.START_OBJECT, "an object");
    }

    /** Moves to the value of the next member; null after the last one. */
    public @Nullable String nextName() throws IOException {
        if (parser.nextToken() == JsonToken.END_OBJECT) {
            return null;
        }
        String name = parser.currentName();
        parser.nextToken();
        return name;
    }

    public void beginArray() {
        expect(JsonToken.START_ARRAY, "an array");
    }

    public boolean nextElement() throws IOException {
        return parser.nextToken() != JsonToken.END_ARRAY;
    }

    public boolean isNull() {
        return parser.currentToken() == JsonToken.VALUE_NULL;
    }

    public String text() throws IOException {
        expect(JsonToken.VALUE_STRING, "a string");
        String text = parser.getText();
        checkText(text);
        return text;
    }

    public @Nullable String textOrNull() throws IOException {
        return isNull() ? null : text();
    }

    /** A name given by another system, as text or as a number that fits 63 bits. */
    public String id(boolean mayBeNegative) throws IOException {
        if (parser.currentToken() == JsonToken.VALUE_STRING) {
            return text();
        }
        expect(JsonToken.VALUE_NUMBER_INT, "a string or a whole number");
        long value = wholeNumber();
        if (value < 0 && !mayBeNegative) {
            throw invalid("must not be negative");
        }
        return Long.toString(value);
    }

    public @Nullable String idOrNull(boolean mayBeNegative) throws IOException {
        return isNull() ? null : id(mayBeNegative);
    }

    public long number(long min, long max) throws IOException {
        expect(JsonToken.VALUE_NUMBER_INT, "a whole number");
        long value = wholeNumber();
        if (value < min || value > max) {
            throw invalid("must be between " + min + " and " + max);
        }
        return value;
    }

    public @Nullable Long numberOrNull(long min, long max) throws IOException {
        return isNull() ? null : number(min, max);
    }

    private long wholeNumber() throws IOException {
        checkNumber();
        if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
            throw Problem.at(ProblemCode.NUMBER_OUT_OF_RANGE, pointer(), "does not fit 64 bits")
                    .rejection();
        }
        return parser.getLongValue();
    }

    public boolean bool() {
        JsonToken token = parser.currentToken();
        if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) {
            throw invalid("must be true or false");
        }
        return token == JsonToken.VALUE_TRUE;
    }

    public @Nullable Instant instantOrNull() throws IOException {
        if (isNull()) {
            return null;
        }
        return Rfc3339.parse(text())
                .orElseThrow(() -> invalid("must be a time with an offset as in RFC 3339, such as"
                        + " 2026-11-30T20:41:26.123456Z, in the years 2000 to 2199"));
    }

    public @Nullable UUID uuidOrNull() throws IOException {
        if (isNull()) {
            return null;
        }
        return Uuids.parse(text()).orElseThrow(() -> invalid("must be a UUID"));
    }

    /** The text of an object exactly as it came, every value in it checked to be storable. */
    public String rawObject(int maxBytes) throws IOException {
        expect(JsonToken.START_OBJECT, "an object");
        return raw(maxBytes);
    }

    /** The same for an array. */
    public String rawArray(int maxBytes) throws IOException {
        expect(JsonToken.START_ARRAY, "an array");
        return raw(maxBytes);
    }

    /** The bytes of an object as they came, well-formed and nothing more: for one that is read by itself afterwards. */
    public byte[] unreadObject() throws IOException {
        expect(JsonToken.START_OBJECT, "an object");
        int start = (int) parser.currentLocation().getByteOffset() - 1;
        parser.skipChildren();
        return Arrays.copyOfRange(body, start, (int) parser.currentLocation().getByteOffset());
    }

    private String raw(int maxBytes) throws IOException {
        String where = pointer();
        int start = (int) parser.currentLocation().getByteOffset() - 1;
        for (int depth = 1; depth > 0; ) {
            JsonToken token = parser.nextToken();
            if (token.isStructStart()) {
                depth++;
            } else if (token.isStructEnd()) {
                depth--;
            } else if (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT) {
                checkNumber();
            } else if (escapes && (token == JsonToken.VALUE_STRING || token == JsonToken.FIELD_NAME)) {
                checkText(parser.getText());
            }
        }
        int length = (int) parser.currentLocation().getByteOffset() - start;
        if (length > maxBytes) {
            throw Problem.at(ProblemCode.TOO_LARGE, where, "is larger than " + maxBytes + " bytes")
                    .rejection();
        }
        return new String(body, start, length, StandardCharsets.UTF_8);
    }

    public @Nullable String rawObjectOrNull(int maxBytes) throws IOException {
        return isNull() ? null : rawObject(maxBytes);
    }

    private void expect(JsonToken token, String what) {
        if (parser.currentToken() != token) {
            throw invalid("must be " + what);
        }
    }

    private void checkNumber() throws IOException {
        int length = parser.getTextLength();
        if (length <= ALWAYS_LONG && parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
            return;
        }
        // The range of a double, which is what most programs at the other end will read it as; kept exactly all the
        // same.
        if (length > MAX_NUMBER_LENGTH || !inRange(parser.getText())) {
            throw Problem.at(
                            ProblemCode.NUMBER_OUT_OF_RANGE,
                            pointer(),
                            "must have at most " + MAX_NUMBER_LENGTH + " characters and the range of a double")
                    .rejection();
        }
    }

    private static boolean inRange(String number) {
        try {
            return !Double.isInfinite(Double.parseDouble(number))
                    && Math.abs((long) new BigDecimal(number).scale()) <= MAX_SCALE;
        } catch (NumberFormatException e) {
            // An exponent past an int, as in 0e99999999999.
            return false;
        }
    }

    private void checkText(String text) {
        if (!escapes) {
            return;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw invalid("holds \\u0000, which cannot be stored");
            }
            if (Character.isHighSurrogate(c) && i + 1 < text.length() && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (Character.isSurrogate(c)) {
                throw invalid("holds half of a surrogate pair");
            }
        }
    }
}
