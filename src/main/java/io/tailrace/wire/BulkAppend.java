package io.tailrace.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.activity.Activity;
import io.tailrace.activity.ActivityService;
import io.tailrace.activity.AppendResult;
import io.tailrace.activity.NewActivity;
import io.tailrace.wire.LineByLine.Answer;
import io.tailrace.wire.LineByLine.Line;
import io.vertx.core.Future;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Many activities in one request, each stored and answered for itself (ACT-8). 200 when all are stored, 207 when some are; when
 * none is, the problem of the first, with every line's among its errors.
 */
public final class BulkAppend {
    /** More than an append's flush takes, so that lanes stay busy; far fewer than a lane's queue takes. */
    private static final int IN_FLIGHT = 1_024;

    private static final int MOST_ERRORS = 100;
    private static final List<String> FIELDS = List.of("items");

    private final List<Line<NewActivity>> lines;

    private BulkAppend(List<Line<NewActivity>> lines) {
        this.lines = lines;
    }

    /** One activity a line; a line that cannot be read is answered for itself. */
    public static BulkAppend ofNdjson(byte[] body, StrictJson json, RequestHeaders headers) {
        return new BulkAppend(LineByLine.ofNdjson(body, "activity", decoder(json, headers)));
    }

    /** One JSON array: what is no JSON is refused as a whole, an activity that is not acceptable for itself. */
    public static BulkAppend ofArray(byte[] body, StrictJson json, RequestHeaders headers) {
        return new BulkAppend(lines(json.read(body, BulkAppend::elements), decoder(json, headers)));
    }

    /** The array, or an object with it as its {@code items}: for an edge on which a body has to be an object. */
    public static BulkAppend ofArrayOrItems(byte[] body, StrictJson json, RequestHeaders headers) {
        return startsArray(body)
                ? ofArray(body, json, headers)
                : new BulkAppend(lines(json.read(body, BulkAppend::items), decoder(json, headers)));
    }

    private static boolean startsArray(byte[] body) {
        for (byte b : body) {
            if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
                return b == '[';
            }
        }
        return false;
    }

    private static Function<byte[], NewActivity> decoder(StrictJson json, RequestHeaders headers) {
        return line -> json.read(line, in -> ActivityDecoder.decode(in, headers));
    }

    private static List<byte[]> elements(JsonReader in) throws IOException {
        String where = in.pointer();
        List<byte[]> found = new ArrayList<>();
        in.beginArray();
        while (in.nextElement()) {
            LineByLine.requireRoom(found);
            found.add(in.unreadObject());
        }
        if (found.isEmpty()) {
            throw Problem.at(ProblemCode.INVALID_FIELD, where, "must have at least one activity")
                    .rejection();
        }
        return found;
    }

    private static List<byte[]> items(JsonReader in) throws IOException {
        in.beginObject();
        List<byte[]> found = null;
        String name;
        while ((name = in.nextName()) != null) {
            if (!name.equals("items")) {
                throw in.unknown(FIELDS);
            }
            found = elements(in);
        }
        if (found == null) {
            throw in.missing("items");
        }
        return found;
    }

    private static List<Line<NewActivity>> lines(List<byte[]> elements, Function<byte[], NewActivity> decoder) {
        List<Line<NewActivity>> lines = new ArrayList<>(elements.size());
        for (byte[] element : elements) {
            lines.add(LineByLine.line(lines.size() + 1, element, decoder));
        }
        return lines;
    }

    /**
     * Appends them, in their order, a bounded number of them in flight.
     *
     * @return fails with a {@link Rejection} when none was stored
     */
    public Future<Reply> append(ActivityService activities, UUID tenant) {
        return LineByLine.ask(lines, IN_FLIGHT, (NewActivity activity) -> append(activities, tenant, activity))
                .map(this::reply);
    }

    private static Future<Answer<AppendResult>> append(ActivityService activities, UUID tenant, NewActivity activity) {
        return activities
                .append(tenant, activity)
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

    private Reply reply(List<Answer<AppendResult>> answers) {
        long stored = answers.stream().filter(answer -> answer.done() != null).count();
        if (stored == 0) {
            throw none(answers).rejection();
        }
        return new Reply(stored == lines.size() ? Reply.DONE : Reply.NOT_ALL, out -> {
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
            out.writeNumberField("status", answer.done() instanceof AppendResult.Stored ? Reply.CREATED : Reply.DONE);
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
    private Problem none(List<Answer<AppendResult>> answers) {
        List<Problem.Issue> errors = new ArrayList<>();
        Problem first = null;
        for (int i = 0; i < lines.size(); i++) {
            Problem problem = answers.get(i).problem();
            if (problem != null) {
                first = first == null ? problem : first;
                if (errors.size() < MOST_ERRORS) {
                    String within = problem.errors().isEmpty()
                            ? ""
                            : problem.errors().get(0).pointer();
                    errors.add(new Problem.Issue(
                            "/" + i + within, "line " + lines.get(i).number(), problem.detail()));
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
