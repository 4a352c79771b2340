package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a caller is told when a request was not done (RFC 9457).
 *
 * @param detail helps the caller; never a stack trace, an SQL text or a secret
 * @param errors where in the request it is
 * @param retryAfter when trying again makes sense, in whole seconds; null when it would not help by itself
 */
public record Problem(
        ProblemCode code,
        String detail,
        List<Issue> errors,
        @Nullable Duration retryAfter) {
    /** The media type of a problem. */
    public static final String MEDIA_TYPE = "application/problem+json";

    /**
     * One place in the request.
     *
     * @param pointer RFC 6901, into the body; empty for the body as a whole and for anything outside of it
     * @param outside the header or the query parameter, when it is not in the body: {@code header idempotency-key}
     */
    public record Issue(String pointer, @Nullable String outside, String detail) {}

    public Problem {
        errors = List.copyOf(errors);
    }

    public static Problem of(ProblemCode code, String detail) {
        return new Problem(code, detail, List.of(new Issue("", null, detail)), null);
    }

    /** At one place of the body. */
    public static Problem at(ProblemCode code, String pointer, String detail) {
        String where = pointer.isEmpty() ? "the body" : pointer;
        return new Problem(code, where + ": " + detail, List.of(new Issue(pointer, null, detail)), null);
    }

    /** At a header or a query parameter. */
    public static Problem outside(ProblemCode code, String place, String detail) {
        return new Problem(code, place + ": " + detail, List.of(new Issue("", place, detail)), null);
    }

    public Problem retryAfter(Duration wait) {
        return new Problem(code, detail, errors, wait);
    }

    /** As an exception, for code that is deep inside of a decoder. */
    public Rejection rejection() {
        return new Rejection(this);
    }

    public void write(JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeStringField("type", code.type());
        out.writeStringField("title", code.title());
        out.writeNumberField("status", code.status());
        writeBody(out);
        out.writeEndObject();
    }

    /** The members without those that repeat the status: also for one line of many. */
    public void writeBody(JsonGenerator out) throws IOException {
        out.writeStringField("code", code.wire());
        out.writeStringField("detail", detail);
        out.writeArrayFieldStart("errors");
        for (Issue issue : errors) {
            out.writeStartObject();
            out.writeStringField("pointer", issue.pointer());
            if (issue.outside() != null) {
                out.writeStringField("in", issue.outside());
            }
            out.writeStringField("detail", issue.detail());
            out.writeEndObject();
        }
        out.writeEndArray();
    }
}
