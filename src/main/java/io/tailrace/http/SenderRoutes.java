package io.tailrace.http;

import io.tailrace.outbox.Batch;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.Settlement;
import io.tailrace.tenant.Caller;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.BatchDecoder;
import io.tailrace.wire.ClaimDecoder;
import io.tailrace.wire.LeaseDecoder;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.SenderReplies;
import io.tailrace.wire.SettlementDecoder;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The outbox's main road: enqueue, claim, start, renew, settle. */
final class SenderRoutes {
    private final OutboxService outbox;
    private final NdjsonBatches ndjson;
    private final Duration lease;

    SenderRoutes(OutboxService outbox, NdjsonBatches ndjson, Duration lease) {
        this.outbox = outbox;
        this.ndjson = ndjson;
        this.lease = lease;
    }

    List<Route> routes() {
        return List.of(
                post("/v1/outbox/batches", this::enqueue),
                post("/v1/outbox/claims", this::claim),
                post("/v1/outbox/starts", this::start),
                post("/v1/outbox/settlements", this::settle),
                post("/v1/outbox/renewals", this::renew));
    }

    private static Route post(String template, Route.Action action) {
        return new Route(HttpMethod.POST, template, Set.of(Scope.OUTBOX), action);
    }

    private void enqueue(Exchange exchange) {
        if (NdjsonBatches.MEDIA_TYPE.equals(BodyReader.mediaType(exchange.request()))) {
            ndjson.handle(exchange);
            return;
        }
        RequestHeaders headers = RequestHeaders.of(exchange.request().headers());
        Future<EnqueueResult> result = exchange.json(in -> BatchDecoder.decode(in, headers))
                .compose(batch -> {
                    requireBots(exchange.caller(), batch);
                    return outbox.enqueue(exchange.tenant(), batch);
                });
        exchange.answer(result, it -> exchange.reply(SenderReplies.enqueued(it)));
    }

    /** A key bound to bots enqueues for no other. */
    static void requireBots(Caller caller, Batch batch) {
        if (caller.botIds() == null) {
            return;
        }
        for (int i = 0; i < batch.parts().size(); i++) {
            if (!caller.mayUse(batch.parts().get(i).botId())) {
                throw Problem.at(
                                ProblemCode.FORBIDDEN_SCOPE,
                                "/parts/" + i + "/bot_id",
                                "this key is bound to other bots")
                        .rejection();
            }
        }
    }

    private void claim(Exchange exchange) {
        Future<List<Claim.Item>> items = exchange.json(in -> ClaimDecoder.decode(in, lease))
                .compose(asked -> outbox.claim(
                                exchange.tenant(), withinBots(exchange.caller(), asked), () -> !exchange.response()
                                        .closed())
                        .onSuccess(found -> handBack(exchange, asked, found)));
        exchange.answer(items, found -> exchange.reply(SenderReplies.claimed(found)));
    }

    private static Claim withinBots(Caller caller, Claim asked) {
        if (caller.botIds() == null) {
            return asked;
        }
        if (asked.botIds() == null) {
            return asked.of(List.copyOf(caller.botIds()));
        }
        for (int i = 0; i < asked.botIds().size(); i++) {
            if (!caller.mayUse(asked.botIds().get(i))) {
                throw Problem.at(ProblemCode.FORBIDDEN_SCOPE, "/bot_ids/" + i, "this key is bound to other bots")
                        .rejection();
            }
        }
        return asked;
    }

    /** Nobody is there to take them: better back in the queue at once than when their leases lapse. */
    private void handBack(Exchange exchange, Claim asked, List<Claim.Item> found) {
        if (asked.claimId() == null && exchange.response().closed() && !found.isEmpty()) {
            List<Settlement> releases = new ArrayList<>(found.size());
            for (Claim.Item item : found) {
                releases.add(new Settlement.Release(new Lease(item.id(), item.leaseToken())));
            }
            outbox.settle(exchange.tenant(), releases);
        }
    }

    private void start(Exchange exchange) {
        Future<LeaseDecoder.Leases> asked = exchange.json(LeaseDecoder::starts);
        exchange.answer(
                asked.compose(it -> SenderReplies.leases(
                        it.items(),
                        leases -> outbox.start(
                                exchange.tenant(), exchange.caller().botIds(), leases))),
                exchange::reply);
    }

    private void renew(Exchange exchange) {
        Future<LeaseDecoder.Leases> asked = exchange.json(in -> LeaseDecoder.renewals(in, lease));
        exchange.answer(
                asked.compose(it -> SenderReplies.leases(
                        it.items(),
                        leases -> outbox.renew(
                                exchange.tenant(), exchange.caller().botIds(), leases, it.lease()))),
                exchange::reply);
    }

    private void settle(Exchange exchange) {
        Future<List<LeaseDecoder.Item<Settlement>>> asked = exchange.json(SettlementDecoder::decode);
        exchange.answer(
                asked.compose(it -> SenderReplies.leases(
                        it,
                        settlements -> outbox.settle(
                                exchange.tenant(), exchange.caller().botIds(), settlements))),
                exchange::reply);
    }
}
