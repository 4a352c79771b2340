package io.tailrace.http;

import io.tailrace.outbox.OperatorResult;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.Redrive;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.BlockedPage;
import io.tailrace.wire.OperatorDecoder;
import io.tailrace.wire.OperatorReplies;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.ReaderReplies;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What an operator does to parts and bots. A key that is bound to bots finds no others. */
final class OperatorRoutes {
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
        exchange.answer(result, it -> exchange.reply(OperatorReplies.acted(id, it)));
    }

    private void cancel(Exchange exchange) {
        PartId id = partId(exchange);
        exchange.answer(
                operator.cancel(exchange.tenant(), exchange.caller().botIds(), id),
                it -> exchange.reply(OperatorReplies.acted(id, it)));
    }

    private void redrive(Exchange exchange) {
        exchange.query(List.of());
        Future<Redrive.Ordered> ordered = exchange.json(OperatorDecoder::redrive)
                .compose(asked ->
                        operator.redrive(exchange.tenant(), exchange.caller().botIds(), asked.order(), asked.dryRun()));
        exchange.answer(ordered, it -> exchange.reply(OperatorReplies.ordered(it)));
    }

    private void progress(Exchange exchange) {
        exchange.query(List.of());
        UUID id = OperatorDecoder.redriveId(exchange.path("id"));
        exchange.answer(
                operator.redrive(exchange.tenant(), exchange.caller().botIds(), id),
                found -> exchange.reply(OperatorReplies.progress(found)));
    }

    private void blocked(Exchange exchange) {
        Query query = exchange.query(List.of("limit", "cursor"));
        BlockedPage page = BlockedPage.of(
                exchange.tenant(),
                exchange.caller().botIds(),
                query.text("cursor"),
                query.number("limit", BlockedPage.DEFAULT_LIMIT, 1, BlockedPage.MAX_LIMIT));
        exchange.answer(
                operator.blocked(page.tenant(), page.botIds(), page.after(), page.wanted()),
                found -> exchange.reply(page.reply(found)));
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

    private void answerPauses(Exchange exchange, String bot, Future<Void> done) {
        exchange.answer(
                done.compose(it -> operator.pauses(exchange.tenant(), Set.of(bot))),
                pauses -> exchange.reply(OperatorReplies.pauses(bot, pauses)));
    }

    private static String bot(Exchange exchange) {
        String bot = exchange.path("bot_id");
        String problem = OperatorDecoder.botProblem(bot);
        if (problem != null) {
            throw Problem.outside(ProblemCode.INVALID_FIELD, "path bot_id", problem)
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
        return PartId.parse(exchange.path("id")).orElseThrow(ReaderReplies::noPart);
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
