package io.tailrace.bus;

import io.tailrace.outbox.OutboxOperator;
import io.tailrace.wire.OperatorDecoder;
import io.tailrace.wire.OperatorReplies;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** What an operator does to parts and bots. Whoever can send here is in this process, and may touch any bot. */
final class OperatorOperations {
    private final OutboxOperator operator;

    OperatorOperations(OutboxOperator operator) {
        this.operator = operator;
    }

    List<Operation<?>> all() {
        return List.of(
                Operation.json(
                        OutboxAddresses.RETRY,
                        "POST /v1/outbox/items/{id}/retry",
                        ActDecoder::retry,
                        (tenant, asked) -> operator.retry(tenant, null, asked.id(), asked.acceptDuplicateRisk())
                                .map(done -> Answer.of(OperatorReplies.acted(asked.id(), done)))),
                Operation.json(
                        OutboxAddresses.CANCEL,
                        "POST /v1/outbox/items/{id}/cancel",
                        LookDecoder::part,
                        (tenant, id) -> operator.cancel(tenant, null, id)
                                .map(done -> Answer.of(OperatorReplies.acted(id, done)))),
                Operation.json(
                        OutboxAddresses.REDRIVE,
                        "POST /v1/outbox/redrives",
                        OperatorDecoder::redrive,
                        (tenant, asked) -> operator.redrive(tenant, null, asked.order(), asked.dryRun())
                                .map(ordered -> Answer.of(OperatorReplies.ordered(ordered)))),
                Operation.json(
                        OutboxAddresses.REDRIVE_PROGRESS,
                        "GET /v1/outbox/redrives/{id}",
                        ActDecoder::redrive,
                        (tenant, id) -> operator.redrive(tenant, null, id)
                                .map(found -> Answer.of(OperatorReplies.progress(found)))),
                Operation.json(
                        OutboxAddresses.BLOCKED,
                        "GET /v1/outbox/blocked",
                        LookDecoder::blocked,
                        (tenant, page) -> operator.blocked(tenant, null, page.after(), page.wanted())
                                .map(found -> Answer.of(page.reply(found)))),
                Operation.json(
                        OutboxAddresses.PAUSE,
                        "POST /v1/outbox/bots/{bot_id}/pause",
                        ActDecoder::pause,
                        (tenant, asked) ->
                                pauses(tenant, asked.botId(), operator.pause(tenant, asked.botId(), asked.until()))),
                Operation.json(
                        OutboxAddresses.RESUME,
                        "POST /v1/outbox/bots/{bot_id}/resume",
                        ActDecoder::resume,
                        (tenant, botId) -> pauses(tenant, botId, operator.resume(tenant, botId))));
    }

    private Future<Answer> pauses(UUID tenant, String botId, Future<Void> done) {
        return done.compose(it -> operator.pauses(tenant, Set.of(botId)))
                .map(pauses -> Answer.of(OperatorReplies.pauses(botId, pauses)));
    }
}
