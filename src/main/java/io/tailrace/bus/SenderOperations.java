package io.tailrace.bus;

import io.tailrace.outbox.OutboxService;
import io.tailrace.wire.BatchDecoder;
import io.tailrace.wire.ClaimDecoder;
import io.tailrace.wire.LeaseDecoder;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.SenderReplies;
import io.tailrace.wire.SettlementDecoder;
import java.time.Duration;
import java.util.List;

/** The outbox's main road: enqueue, claim, start, renew, settle. */
final class SenderOperations {
    private final OutboxService outbox;
    private final Duration lease;

    SenderOperations(OutboxService outbox, Duration lease) {
        this.outbox = outbox;
        this.lease = lease;
    }

    List<Operation<?>> all() {
        return List.of(
                new Operation<>(
                        OutboxAddresses.ENQUEUE,
                        "POST /v1/outbox/batches",
                        Operation.Body.JSON,
                        (request, json) -> json.read(
                                request.body().getBytes(),
                                in -> BatchDecoder.decode(
                                        in, new RequestHeaders(null, RequestHeaders.traceparent(request.headers())))),
                        (tenant, batch) ->
                                outbox.enqueue(tenant, batch).map(it -> Answer.of(SenderReplies.enqueued(it)))),
                Operation.json(
                        OutboxAddresses.CLAIM,
                        "POST /v1/outbox/claims",
                        in -> ClaimDecoder.decode(in, lease),
                        (tenant, claim) -> outbox.claim(tenant, claim).map(it -> Answer.of(SenderReplies.claimed(it)))),
                Operation.json(
                        OutboxAddresses.START,
                        "POST /v1/outbox/starts",
                        LeaseDecoder::starts,
                        (tenant, asked) -> SenderReplies.leases(asked.items(), leases -> outbox.start(tenant, leases))
                                .map(Answer::of)),
                Operation.json(
                        OutboxAddresses.RENEW,
                        "POST /v1/outbox/renewals",
                        in -> LeaseDecoder.renewals(in, lease),
                        (tenant, asked) -> SenderReplies.leases(
                                        asked.items(), leases -> outbox.renew(tenant, leases, asked.lease()))
                                .map(Answer::of)),
                Operation.json(
                        OutboxAddresses.SETTLE,
                        "POST /v1/outbox/settlements",
                        SettlementDecoder::decode,
                        (tenant, asked) -> SenderReplies.leases(
                                        asked, settlements -> outbox.settle(tenant, settlements))
                                .map(Answer::of)));
    }
}
