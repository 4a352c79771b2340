package io.tailrace.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.activity.Activity;
import io.tailrace.activity.ActivityService;
import io.tailrace.activity.AppendResult;
import io.tailrace.activity.NewActivity;
import io.tailrace.http.LineByLine.Answer;
import io.tailrace.http.LineByLine.Line;
import io.tailrace.wire.ActivityDecoder;
import io.tailrace.wire.ActivityReplies;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/activities}: NDJSON or an array, each activity stored and answered for itself (ACT-8). 200 when all are
 * stored, 207 when some are; when none is, the problem of the first, with every line's among its errors.
 */
final class BulkActivities {
    /** More than an append's flush takes, so that lanes stay busy; far fewer than a lane's queue takes. */
    private static final int IN_FLIGHT = 1_024;

    private static final int MOST_ERRORS = 100;

    private final ActivityService activities;

    BulkActivities(ActivityService activities) {
        this.activities = activities;
    }

    void handle(Exchange exchange) {
        RequestHeaders headers = RequestHeaders.of(exchange.request().headers());
        if (headers.idempotencyKey() != null) {
            throw Problem.outside(
                            ProblemCode.INVALID_FIELD,
                            "header idempotency-key",
                            "names one activity; in bulk every line has its own idempotency_key")
                    .rejection();
        }
        boolean ndjson = NdjsonBatches.MEDIA_TYPE.equals(BodyReader.mediaType(exchange.request()));
        Future<List<Line<NewActivity>>> lines = ndjson
                ? exchange.bytes((body, json) -> LineByLine.ofNdjson(body, "activity", decoder(json, headers)))
                : exchange.jsonBytes((body, json) -> ofArray(body, json, decoder(json, headers)));
        exchange.answer(
                lines.compose(all -> LineByLine.ask(all, IN_FLIGHT, activity -> append(exchange, activity))),
                answers -> write(exchange, lines.result(), answers));
    }

    private static Function<byte[], NewActivity> decoder(StrictJson json, RequestHeaders headers) {
        return line -> json.read(line, in -> ActivityDecoder.decode(in, headers));
    }

    private static List<Line<NewActivity>> ofArray(
            byte[] body, StrictJson json, Function<byte[], NewActivity> decoder) {
        List<byte[]> elements = json.read(body, in -> {
            List<byte[]> found = new ArrayList<>();
            in.beginArray();
            while (in.nextElement()) {
                LineByLine.requireRoom(found);
                found.add(in.unreadObject());
            }
            return found;
        });
        if (elements.isEmpty()) {
            throw Problem.at(ProblemCode.INVALID_FIELD, "", "must have at least one activity")
                    .rejection();
        }
        List<Line<NewActivity>> lines = new ArrayList<>(elements.size());
        for (byte[] element : elements) {
            lines.add(LineByLine.line(lines.size() + 1, element, decoder));
        }
        return lines;
    }

    private Future<Answer<AppendResult>> append(Exchange exchange, NewActivity activity) {
        return activities
                .append(exchange.tenant(), activity)
                .map(result -> stored(result) == null
                        ? new Answer<>(null, ActivityReplies.problem(result))
                        : new Answer<>(result, null));
    }

    private static @Nullable Activity stored(AppendResult result) {
        if (result instanceof AppendResult.Stored stored) {
            return stored.activity();
        }
        return result instanceof AppendResult.Replayed replayed ? replayed.activity() : null;
    }

    private static void write(Exchange exchange, List<Line<NewActivity>> lines, List<Answer<AppendResult>> answers) {
        long stored = answers.stream().filter(answer -> answer.done() != null).count();
        if (stored == 0) {
            exchange.fail(none(lines, answers));
            return;
        }
        exchange.json(stored == lines.size() ? 200 : 207, out -> {
            out.writeStartObject();
            out.writeArrayFieldStart("results");
            for (int i = 0; i < lines.size(); i++) {
                write(out, lines.get(i).number(), answers.get(i));
            }
            out.writeEndArray();
            out.writeEndObject();
        });
    }

    private static void write(JsonGenerator out, int number, Answer<AppendResult> answer) throws IOException {
        out.writeStartObject();
        out.writeNumberField("line", number);
        Activity activity = answer.done() == null ? null : stored(answer.done());
        if (activity != null) {
            out.writeNumberField("status", answer.done() instanceof AppendResult.Stored ? 201 : 200);
            out.writeStringField("id", activity.id().toString());
            out.writeStringField("conversation_id", activity.conversationId().toString());
            out.writeNumberField("seq", activity.seq());
        } else if (answer.problem() != null) {
            out.writeNumberField("status", answer.problem().code().status());
            answer.problem().writeBody(out);
        }
        out.writeEndObject();
    }

    /** Nothing was stored: the first line's problem, with where each line is wrong. */
    private static Problem none(List<Line<NewActivity>> lines, List<Answer<AppendResult>> answers) {
        List<Problem.Issue> errors = new ArrayList<>();
        Problem first = null;
        for (int i = 0; i < lines.size(); i++) {
            Problem problem = answers.get(i).problem();
            if (problem != null) {
                first = first == null ? problem : first;
                if (errors.size() < MOST_ERRORS) {
                    String pointer = "/" + i
                            + (problem.errors().isEmpty()
                                    ? ""
                                    : problem.errors().get(0).pointer());
                    errors.add(new Problem.Issue(pointer, "line " + lines.get(i).number(), problem.detail()));
                }
            }
        }
        if (first == null) {
            throw new IllegalStateException("a line was neither stored nor refused");
        }
        return new Problem(
                first.code(),
                "none of " + lines.size() + " was stored; line " + lines.get(0).number() + ": " + first.detail(),
                errors,
                first.retryAfter());
    }
}
