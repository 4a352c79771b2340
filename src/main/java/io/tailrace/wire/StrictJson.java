package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import java.io.IOException;

/**
 * JSON as RFC 8259 has it, read once, without a tree: no duplicate names, nothing after the value, no BOM, no invalid or
 * overlong UTF-8, bounded depth, names and numbers. What does not pass is a {@link Rejection}, never another exception.
 */
public final class StrictJson {
    private static final int MAX_NAME_LENGTH = 1_024;

    private final int maxDepth;
    private final JsonFactory factory;

    /** Makes a value of a whole body. */
    public interface Decoder<T> {
        T decode(JsonReader in) throws IOException;
    }

    /** @param maxDepth levels of arrays and objects in one body; a batch around a payload takes three */
    public StrictJson(int maxDepth) {
        this.maxDepth = maxDepth;
        this.factory = new JsonFactoryBuilder()
                // Interning is slow, and hostile names would fill the table; both tables are bounded per parser anyway.
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .disable(JsonFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
                // The bytes were checked to be UTF-8; without this, zeros would be taken for UTF-16 or UTF-32.
                .disable(JsonFactory.Feature.CHARSET_DETECTION)
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(maxDepth)
                        .maxNameLength(MAX_NAME_LENGTH)
                        // Bounded by the body; the reader itself answers long numbers, with another code.
                        .maxNumberLength(Integer.MAX_VALUE)
                        .maxStringLength(Integer.MAX_VALUE)
                        .build())
                .build();
    }

    /**
     * Reads {@code body} as one JSON value.
     *
     * @throws Rejection with {@code malformed}, {@code invalid_field}, {@code number_out_of_range} or {@code too_large}
     */
    public <T> T read(byte[] body, Decoder<T> decoder) {
        boolean escapes = checkUtf8(body);
        try (JsonReader in = new JsonReader(factory.createParser(body), body, escapes)) {
            try {
                in.begin();
                T value = decoder.decode(in);
                in.end();
                return value;
            } catch (StreamConstraintsException e) {
                String what = String.valueOf(e.getMessage()).startsWith("Document nesting")
                        ? "nested deeper than " + maxDepth + " levels"
                        : "has a name longer than " + MAX_NAME_LENGTH + " characters";
                throw Problem.at(ProblemCode.MALFORMED, in.pointer(), what).rejection();
            } catch (JsonProcessingException e) {
                throw Problem.at(ProblemCode.MALFORMED, in.pointer(), explain(e))
                        .rejection();
            }
        } catch (IOException e) {
            throw Problem.of(ProblemCode.MALFORMED, "the body is not JSON").rejection();
        }
    }

    private static String explain(JsonProcessingException e) {
        String message = String.valueOf(e.getOriginalMessage());
        String what = message.startsWith("Duplicate field")
                ? "the same name twice in one object"
                : message.startsWith("Unexpected end-of-input") ? "the JSON ends too early" : "not valid JSON";
        return e.getLocation() == null
                ? what
                : what + ", at line " + e.getLocation().getLineNr() + ", column "
                        + e.getLocation().getColumnNr();
    }

    /**
     * Jackson's decoder takes overlong forms, encoded surrogates and a BOM; PostgreSQL and RFC 8259 do not.
     *
     * @return whether there is a {@code \}{@code u} escape, which can still hide a zero or half a surrogate pair
     */
    private static boolean checkUtf8(byte[] body) {
        if (body.length == 0) {
            throw Problem.of(ProblemCode.MALFORMED, "the body is empty; a JSON object is expected")
                    .rejection();
        }
        if (body.length >= 3 && body[0] == (byte) 0xEF && body[1] == (byte) 0xBB && body[2] == (byte) 0xBF) {
            throw Problem.of(ProblemCode.MALFORMED, "the body begins with a byte order mark")
                    .rejection();
        }
        boolean escapes = false;
        int i = 0;
        while (i < body.length) {
            byte b = body[i];
            if (b > 0) {
                escapes |= b == '\\' && i + 1 < body.length && body[i + 1] == 'u';
                i++;
            } else {
                int length = b == 0 ? 0 : sequenceLength(body, i);
                if (length == 0) {
                    throw Problem.of(ProblemCode.MALFORMED, "byte " + i + " of the body is not UTF-8 text")
                            .rejection();
                }
                i += length;
            }
        }
        return escapes;
    }

    /** Table 3-7 of the Unicode standard, well-formed UTF-8 byte sequences; 0 when it is none. */
    private static int sequenceLength(byte[] body, int at) {
        int first = body[at] & 0xFF;
        int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
        if (length == 0 || at + length > body.length) {
            return 0;
        }
        int second = body[at + 1] & 0xFF;
        int low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
        int high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
        if (second < low || second > high) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if ((body[at + i] & 0xC0) != 0x80) {
                return 0;
            }
        }
        return length;
    }
}
