package io.tailrace.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.outbox.Batch;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.OutboxService;
import io.tailrace.wire.BatchDecoder;
import io.tailrace.wire.Failures;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.PartWriter;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.SenderReplies;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/outbox/batches} as NDJSON: one batch a line, each stored and answered for itself. Nothing is stored
 * before the whole body is there, so a request that breaks off stores nothing.
 */
final class NdjsonBatches {
    static final String MEDIA_TYPE = "application/x-ndjson";
    private static final CharSequence NDJSON = HttpHeaders.createOptimized(MEDIA_TYPE);
    /** Lines on their way to the database at the same time; they go in the order of the body. */
    private static final int IN_FLIGHT = 128;

    private static final int MAX_LINES = 10_000;

    /**
     * A line that is not blank.
     *
     * @param number from 1, blank lines counted
     * @param batch null when it was refused before it was asked for
     */
    private record Line(
            int number, @Nullable Batch batch, @Nullable Problem problem) {}

    /** What became of a line. */
    private record Answer(
            EnqueueResult.@Nullable Stored stored, @Nullable Problem problem) {}

    private final OutboxService outbox;

    NdjsonBatches(OutboxService outbox) {
        this.outbox = outbox;
    }

    void handle(Exchange exchange) {
        RequestHeaders headers = RequestHeaders.of(exchange.request().headers());
        if (headers.idempotencyKey() != null) {
            throw Problem.outside(
                            ProblemCode.INVALID_FIELD,
                            "header idempotency-key",
                            "names one batch; in NDJSON every line has its own batch_id")
                    .rejection();
        }
        Future<List<Line>> lines = exchange.bytes((body, json) -> lines(body, json, headers));
        exchange.answer(
                lines.compose(all -> new Run(exchange, all).start()),
                answers -> write(exchange, lines.result(), answers));
    }

    private static List<Line> lines(byte[] body, StrictJson json, RequestHeaders headers) {
        List<Line> lines = new ArrayList<>();
        int number = 0;
        for (int from = 0; from < body.length; ) {
            int to = from;
            while (to < body.length && body[to] != '\n') {
                to++;
            }
            number++;
            byte[] line = Arrays.copyOfRange(body, from, to);
            from = to + 1;
            if (!blank(line)) {
                if (lines.size() == MAX_LINES) {
                    throw Problem.of(ProblemCode.TOO_LARGE, "the body has more than " + MAX_LINES + " lines")
                            .rejection();
                }
                lines.add(line(number, line, json, headers));
            }
        }
        if (lines.isEmpty()) {
            throw Problem.of(ProblemCode.MALFORMED, "the body is empty; one batch a line is expected")
                    .rejection();
        }
        return lines;
    }

    private static Line line(int number, byte[] text, StrictJson json, RequestHeaders headers) {
        try {
            return new Line(number, json.read(text, in -> BatchDecoder.decode(in, headers)), null);
        } catch (Rejection e) {
            return new Line(number, null, e.problem());
        }
    }

    private static boolean blank(byte[] line) {
        for (byte b : line) {
            if (b != ' ' && b != '\t' && b != '\r') {
                return false;
            }
        }
        return true;
    }

    private static void write(Exchange exchange, List<Line> lines, List<Answer> answers) {
        boolean allStored = true;
        Buffer body = Buffer.buffer(256 * lines.size());
        for (int i = 0; i < lines.size(); i++) {
            int number = lines.get(i).number();
            Answer answer = answers.get(i);
            allStored &= answer.problem() == null;
            body.appendBuffer(JsonBody.line(out -> write(out, number, answer)));
        }
        exchange.end(allStored ? 200 : 207, NDJSON, body);
    }

    private static void write(JsonGenerator out, int number, Answer answer) throws IOException {
        out.writeStartObject();
        out.writeNumberField("line", number);
        if (answer.stored() != null) {
            out.writeNumberField("status", answer.stored().anyInserted() ? 201 : 200);
            PartWriter.stored(out, answer.stored());
        } else if (answer.problem() != null) {
            out.writeNumberField("status", answer.problem().code().status());
            answer.problem().writeBody(out);
        }
        out.writeEndObject();
    }

    /** The lines of one request, a bounded number of them in flight. */
    private final class Run {
        private final Exchange exchange;
        private final List<Line> lines;
        private final Answer[] answers;
        private final Promise<List<Answer>> promise = Promise.promise();
        private int next;
        private int inFlight;
        private boolean feeding;

        Run(Exchange exchange, List<Line> lines) {
            this.exchange = exchange;
            this.lines = lines;
            this.answers = new Answer[lines.size()];
        }

        Future<List<Answer>> start() {
            feed();
            return promise.future();
        }

        private void feed() {
            if (feeding) {
                // A line that was answered at once: the loop below goes on, instead of one frame deeper.
                return;
            }
            feeding = true;
            while (next < lines.size() && inFlight < IN_FLIGHT) {
                int index = next++;
                inFlight++;
                ask(lines.get(index)).onComplete(done -> {
                    inFlight--;
                    answers[index] = done.succeeded() ? done.result() : new Answer(null, Failures.of(done.cause()));
                    feed();
                });
            }
            feeding = false;
            if (next == lines.size() && inFlight == 0) {
                promise.tryComplete(List.of(answers));
            }
        }

        private Future<Answer> ask(Line line) {
            if (line.batch() == null) {
                return Future.succeededFuture(new Answer(null, line.problem()));
            }
            try {
                SenderRoutes.requireBots(exchange.caller(), line.batch());
            } catch (Rejection e) {
                return Future.succeededFuture(new Answer(null, e.problem()));
            }
            return outbox.enqueue(exchange.tenant(), line.batch())
                    .map(result -> result instanceof EnqueueResult.Stored stored
                            ? new Answer(stored, null)
                            : new Answer(null, SenderReplies.problem((EnqueueResult.Refused) result)));
        }
    }
}
