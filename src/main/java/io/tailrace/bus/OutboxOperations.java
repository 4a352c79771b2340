package io.tailrace.bus;

import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartQueries;
import io.tailrace.outbox.PartState;
import io.tailrace.wire.BatchDecoder;
import io.tailrace.wire.ClaimDecoder;
import io.tailrace.wire.LeaseDecoder;
import io.tailrace.wire.ReaderReplies;
import io.tailrace.wire.Reply;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.SenderReplies;
import io.tailrace.wire.SettlementDecoder;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Which address asks the outbox for what. */
final class OutboxOperations {
    private final OutboxService outbox;
    private final PartQueries parts;
    private final Duration lease;

    /**
     * One operation.
     *
     * @param decoder of the body, for the request's tenant and headers
     */
    record Operation<T>(String address, Reading<T> decoder, Asking<T> ask) {
        /** Nothing has been asked when the returned decoding fails. */
        Function<StrictJson, T> reading(byte[] body, UUID tenant, RequestHeaders headers) {
            return json -> json.read(body, decoder.decoder(tenant, headers));
        }
    }

    /** Makes the decoder of one request. */
    interface Reading<T> {
        StrictJson.Decoder<T> decoder(UUID tenant, RequestHeaders headers);
    }

    /** Asks the capability. */
    interface Asking<T> {
        Future<Reply> ask(UUID tenant, T asked);
    }

    OutboxOperations(OutboxService outbox, PartQueries parts, Duration lease) {
        this.outbox = outbox;
        this.parts = parts;
        this.lease = lease;
    }

    List<Operation<?>> all() {
        return List.of(
                new Operation<>(
                        OutboxAddresses.ENQUEUE,
                        (tenant, headers) -> in -> BatchDecoder.decode(in, headers),
                        (tenant, batch) -> outbox.enqueue(tenant, batch).map(SenderReplies::enqueued)),
                operation(OutboxAddresses.CLAIM, in -> ClaimDecoder.decode(in, lease), (tenant, claim) -> outbox.claim(
                                tenant, claim)
                        .map(SenderReplies::claimed)),
                operation(
                        OutboxAddresses.START,
                        LeaseDecoder::starts,
                        (tenant, asked) -> SenderReplies.leases(asked.items(), leases -> outbox.start(tenant, leases))),
                operation(
                        OutboxAddresses.RENEW,
                        in -> LeaseDecoder.renewals(in, lease),
                        (tenant, asked) -> SenderReplies.leases(
                                asked.items(), leases -> outbox.renew(tenant, leases, asked.lease()))),
                operation(
                        OutboxAddresses.SETTLE,
                        SettlementDecoder::decode,
                        (tenant, asked) ->
                                SenderReplies.leases(asked, settlements -> outbox.settle(tenant, settlements))),
                operation(OutboxAddresses.ITEM, LookDecoder::item, (tenant, asked) -> outbox.item(
                                tenant, asked.id(), !asked.include().isEmpty())
                        .map(found -> ReaderReplies.part(found.orElseThrow(ReaderReplies::noPart), asked.include()))),
                operation(OutboxAddresses.ATTEMPTS, LookDecoder::attempts, (tenant, id) -> outbox.attempts(tenant, id)
                        .map(found -> ReaderReplies.attempts(found.orElseThrow(ReaderReplies::noPart)))),
                operation(OutboxAddresses.BATCH, LookDecoder::batch, (tenant, batchId) -> outbox.batch(tenant, batchId)
                        .map(found -> ReaderReplies.batch(batchId, found))),
                new Operation<>(
                        OutboxAddresses.LIST,
                        (tenant, headers) -> in -> LookDecoder.list(in, tenant),
                        (tenant, page) -> parts.list(tenant, page.selection(), page.withContent())
                                .map(page::reply)),
                operation(OutboxAddresses.STATS, LookDecoder::nothing, (tenant, nothing) -> stats(tenant)));
    }

    private static <T> Operation<T> operation(String address, StrictJson.Decoder<T> decoder, Asking<T> ask) {
        return new Operation<>(address, (tenant, headers) -> decoder, ask);
    }

    private Future<Reply> stats(UUID tenant) {
        Future<Map<PartState, Long>> depth = outbox.depth(tenant);
        Future<Optional<Duration>> oldest = parts.oldestClaimable(tenant);
        Future<List<OutboxOperator.Pause>> pauses = outbox.operator().pauses(tenant, null);
        return Future.all(depth, oldest, pauses)
                .map(all -> ReaderReplies.stats(depth.result(), oldest.result(), pauses.result()));
    }
}
