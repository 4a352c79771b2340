package io.tailrace.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.tailrace.outbox.Batch;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.OutboxService;
import io.tailrace.wire.BatchDecoder;
import io.tailrace.wire.JsonBody;
import io.tailrace.wire.LineByLine;
import io.tailrace.wire.LineByLine.Answer;
import io.tailrace.wire.LineByLine.Line;
import io.tailrace.wire.PartWriter;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.SenderReplies;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.util.List;

/**
 * {@code POST /v1/outbox/batches} as NDJSON: one batch a line, each stored and answered for itself. Nothing is stored
 * before the whole body is there, so a request that breaks off stores nothing.
 */
final class NdjsonBatches {
    static final String MEDIA_TYPE = "application/x-ndjson";
    private static final CharSequence NDJSON = HttpHeaders.createOptimized(MEDIA_TYPE);

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
        Future<List<Line<Batch>>> lines = exchange.bytes((body, json) ->
                LineByLine.ofNdjson(body, "batch", line -> json.read(line, in -> BatchDecoder.decode(in, headers))));
        exchange.answer(
                lines.compose(all -> LineByLine.ask(all, LineByLine.IN_FLIGHT, batch -> enqueue(exchange, batch))),
                answers -> write(exchange, lines.result(), answers));
    }

    private Future<Answer<EnqueueResult.Stored>> enqueue(Exchange exchange, Batch batch) {
        SenderRoutes.requireBots(exchange.caller(), batch);
        return outbox.enqueue(exchange.tenant(), batch)
                .map(result -> result instanceof EnqueueResult.Stored stored
                        ? new Answer<>(stored, null)
                        : new Answer<>(null, SenderReplies.problem((EnqueueResult.Refused) result)));
    }

    private static void write(Exchange exchange, List<Line<Batch>> lines, List<Answer<EnqueueResult.Stored>> answers) {
        boolean allStored = true;
        Buffer body = Buffer.buffer(256 * lines.size());
        for (int i = 0; i < lines.size(); i++) {
            int number = lines.get(i).number();
            Answer<EnqueueResult.Stored> answer = answers.get(i);
            allStored &= answer.problem() == null;
            body.appendBuffer(JsonBody.line(out -> write(out, number, answer)));
        }
        exchange.end(allStored ? 200 : 207, NDJSON, body);
    }

    private static void write(JsonGenerator out, int number, Answer<EnqueueResult.Stored> answer) throws IOException {
        out.writeStartObject();
        out.writeNumberField("line", number);
        if (answer.done() != null) {
            out.writeNumberField("status", answer.done().anyInserted() ? 201 : 200);
            PartWriter.stored(out, answer.done());
        } else if (answer.problem() != null) {
            out.writeNumberField("status", answer.problem().code().status());
            answer.problem().writeBody(out);
        }
        out.writeEndObject();
    }
}
