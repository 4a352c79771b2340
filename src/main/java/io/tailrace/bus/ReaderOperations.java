package io.tailrace.bus;

import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartQueries;
import io.tailrace.outbox.PartState;
import io.tailrace.wire.ReaderReplies;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Looking at parts. Payloads, blobs and receipts are shown only when they are asked for by {@code include}. */
final class ReaderOperations {
    private final OutboxService outbox;
    private final PartQueries parts;

    ReaderOperations(OutboxService outbox, PartQueries parts) {
        this.outbox = outbox;
        this.parts = parts;
    }

    List<Operation<?>> all() {
        return List.of(
                Operation.json(
                        OutboxAddresses.ITEM,
                        "GET /v1/outbox/items/{id}",
                        LookDecoder::item,
                        (tenant, asked) -> outbox.item(
                                        tenant, asked.id(), !asked.include().isEmpty())
                                .map(found -> Answer.of(ReaderReplies.part(
                                        found.orElseThrow(ReaderReplies::noPart), asked.include())))),
                Operation.json(
                        OutboxAddresses.ATTEMPTS,
                        "GET /v1/outbox/items/{id}/attempts",
                        LookDecoder::part,
                        (tenant, id) -> outbox.attempts(tenant, id)
                                .map(found ->
                                        Answer.of(ReaderReplies.attempts(found.orElseThrow(ReaderReplies::noPart))))),
                Operation.json(
                        OutboxAddresses.BATCH,
                        "GET /v1/outbox/batches/{batch_id}",
                        LookDecoder::batch,
                        (tenant, batchId) -> outbox.batch(tenant, batchId)
                                .map(found -> Answer.of(ReaderReplies.batch(batchId, found)))),
                Operation.json(
                        OutboxAddresses.LIST, "GET /v1/outbox/items", LookDecoder::list, (tenant, page) -> parts.list(
                                        tenant, page.selection(), page.withContent())
                                .map(found -> Answer.of(page.reply(found)))),
                Operation.json(
                        OutboxAddresses.STATS,
                        "GET /v1/outbox/stats",
                        LookDecoder::nothing,
                        (tenant, nothing) -> stats(tenant)));
    }

    private Future<Answer> stats(UUID tenant) {
        Future<Map<PartState, Long>> depth = outbox.depth(tenant);
        Future<Optional<Duration>> oldest = parts.oldestClaimable(tenant);
        Future<List<OutboxOperator.Pause>> pauses = outbox.operator().pauses(tenant, null);
        return Future.all(depth, oldest, pauses)
                .map(all -> Answer.of(ReaderReplies.stats(depth.result(), oldest.result(), pauses.result())));
    }
}
