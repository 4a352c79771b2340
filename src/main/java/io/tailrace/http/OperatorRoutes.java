package io.tailrace.http;

import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.BlockedKey;
import io.tailrace.outbox.OperatorResult;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.Redrive;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.OperatorDecoder;
import io.tailrace.wire.OperatorWriter;
import io.tailrace.wire.PartCursor;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** What an operator does to parts and bots. A key that is bound to bots finds no others. */
final class OperatorRoutes {
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 500;

    private final OutboxOperator operator;

    OperatorRoutes(OutboxOperator operator) {
        this.operator = operator;
    }

    List<Route> routes() {
        return List.of(
                post("/v1/outbox/items/{id}/retry", this::retry),
                post("/v1/outbox/items/{id}/cancel", this::cancel),
                post("/v1/outbox/redrives", this::redrive),
                new Route(HttpMethod.GET, "/v1/outbox/redrives/{id}", Set.of(Scope.OPERATE), this::progress),
                new Route(HttpMethod.GET, "/v1/outbox/blocked", Set.of(Scope.OPERATE), this::blocked),
                post("/v1/outbox/bots/{bot_id}/pause", this::pause),
                post("/v1/outbox/bots/{bot_id}/resume", this::resume));
    }

    private static Route post(String template, Route.Action action) {
        return new Route(HttpMethod.POST, template, Set.of(Scope.OPERATE), action);
    }

    private void retry(Exchange exchange) {
        PartId id = partId(exchange);
        Future<OperatorResult> result = body(exchange, OperatorDecoder::retry, false)
                .compose(accepted ->
                        operator.retry(exchange.tenant(), exchange.caller().botIds(), id, accepted));
        exchange.answer(result, it -> answer(exchange, id, it));
    }

    private void cancel(Exchange exchange) {
        PartId id = partId(exchange);
        exchange.answer(
                operator.cancel(exchange.tenant(), exchange.caller().botIds(), id), it -> answer(exchange, id, it));
    }

    private static void answer(Exchange exchange, PartId id, OperatorResult result) {
        if (result instanceof OperatorResult.Done done) {
            exchange.json(200, out -> OperatorWriter.done(out, id, done));
        } else if (result instanceof OperatorResult.Refused refused) {
            exchange.fail(Problem.of(ProblemCode.of(refused.code()), refused.detail()));
        }
    }

    private void redrive(Exchange exchange) {
        exchange.query(List.of());
        Future<Redrive.Ordered> ordered = exchange.json(OperatorDecoder::redrive)
                .compose(asked ->
                        operator.redrive(exchange.tenant(), exchange.caller().botIds(), asked.order(), asked.dryRun()));
        exchange.answer(
                ordered, it -> exchange.json(it.id() == null ? 200 : 202, out -> OperatorWriter.ordered(out, it)));
    }

    private void progress(Exchange exchange) {
        exchange.query(List.of());
        UUID id;
        try {
            id = UUID.fromString(exchange.path("id"));
        } catch (IllegalArgumentException e) {
            throw noRedrive();
        }
        exchange.answer(operator.redrive(exchange.tenant(), exchange.caller().botIds(), id), found -> {
            Redrive.Progress progress = found.orElseThrow(OperatorRoutes::noRedrive);
            exchange.json(200, out -> OperatorWriter.progress(out, progress));
        });
    }

    private static Rejection noRedrive() {
        return Problem.of(ProblemCode.NOT_FOUND, "there is no such redrive").rejection();
    }

    private void blocked(Exchange exchange) {
        Query query = exchange.query(List.of("limit", "cursor"));
        int limit = query.number("limit", DEFAULT_LIMIT, 1, MAX_LIMIT);
        Set<String> botIds = exchange.caller().botIds();
        String list = exchange.tenant() + "\nblocked\n" + (botIds == null ? "" : new TreeSet<>(botIds));
        String cursor = query.text("cursor");
        long after = cursor == null
                ? 0
                : PartCursor.parse(cursor, list)
                        .orElseThrow(() -> Problem.outside(
                                        ProblemCode.MALFORMED, "query cursor", "is not one that this list gave out")
                                .rejection())
                        .id();
        exchange.answer(operator.blocked(exchange.tenant(), botIds, after, limit + 1), all -> {
            List<BlockedKey> shown = all.subList(0, Math.min(limit, all.size()));
            exchange.json(200, out -> {
                out.writeStartObject();
                out.writeArrayFieldStart("items");
                for (BlockedKey key : shown) {
                    OperatorWriter.blocked(out, key);
                }
                out.writeEndArray();
                out.writeStringField(
                        "next",
                        all.size() > limit ? PartCursor.of(shown.get(limit - 1).id(), list) : null);
                out.writeEndObject();
            });
        });
    }

    private void pause(Exchange exchange) {
        String bot = bot(exchange);
        Future<Void> paused = body(exchange, OperatorDecoder::pause, OperatorDecoder.Pause.FOR_EVER)
                .compose(asked -> operator.pause(exchange.tenant(), bot, asked.until()));
        answerPauses(exchange, bot, paused);
    }

    private void resume(Exchange exchange) {
        String bot = bot(exchange);
        answerPauses(exchange, bot, operator.resume(exchange.tenant(), bot));
    }

    /** What still holds the bot: a provider's throttle goes on after an operator's pause. */
    private void answerPauses(Exchange exchange, String bot, Future<Void> done) {
        Future<List<OutboxOperator.Pause>> left = done.compose(it -> operator.pauses(exchange.tenant(), Set.of(bot)));
        exchange.answer(
                left,
                pauses -> exchange.json(200, out -> {
                    out.writeStartObject();
                    out.writeStringField("bot_id", bot);
                    out.writeBooleanField("paused", !pauses.isEmpty());
                    OperatorWriter.pauses(out, "pauses", pauses);
                    out.writeEndObject();
                }));
    }

    private static String bot(Exchange exchange) {
        String bot = exchange.path("bot_id");
        if (bot.isEmpty() || bot.length() > BatchRules.MAX_BOT_ID || bot.indexOf('\0') >= 0) {
            throw Problem.outside(
                            ProblemCode.INVALID_FIELD,
                            "path bot_id",
                            "must have 1 to " + BatchRules.MAX_BOT_ID + " characters")
                    .rejection();
        }
        if (!exchange.caller().mayUse(bot)) {
            throw Problem.of(ProblemCode.FORBIDDEN_SCOPE, "this key is bound to other bots")
                    .rejection();
        }
        return bot;
    }

    private static PartId partId(Exchange exchange) {
        exchange.query(List.of());
        return PartId.parse(exchange.path("id"))
                .orElseThrow(() -> Problem.of(ProblemCode.NOT_FOUND, "there is no such part")
                        .rejection());
    }

    /** The body, or {@code otherwise} when there is none. */
    private static <T> Future<T> body(Exchange exchange, StrictJson.Decoder<T> decoder, T otherwise) {
        String length = exchange.request().getHeader(HttpHeaders.CONTENT_LENGTH);
        boolean none = length == null
                ? exchange.request().getHeader(HttpHeaders.TRANSFER_ENCODING) == null
                : length.equals("0");
        return none ? Future.succeededFuture(otherwise) : exchange.json(decoder);
    }
}
