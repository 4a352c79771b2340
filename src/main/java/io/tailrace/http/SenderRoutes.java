package io.tailrace.http;

import io.tailrace.outbox.Batch;
import io.tailrace.outbox.Claim;
import io.tailrace.outbox.EnqueueResult;
import io.tailrace.outbox.Lease;
import io.tailrace.outbox.LeaseResult;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.Settlement;
import io.tailrace.tenant.Caller;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.BatchDecoder;
import io.tailrace.wire.ClaimDecoder;
import io.tailrace.wire.LeaseDecoder;
import io.tailrace.wire.PartWriter;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.RequestHeaders;
import io.tailrace.wire.SettlementDecoder;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

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
        exchange.answer(result, it -> {
            if (it instanceof EnqueueResult.Stored stored) {
                exchange.json(stored.anyInserted() ? 201 : 200, out -> {
                    out.writeStartObject();
                    PartWriter.stored(out, stored);
                    out.writeEndObject();
                });
            } else if (it instanceof EnqueueResult.Refused refused) {
                exchange.fail(problem(refused));
            }
        });
    }

    static Problem problem(EnqueueResult.Refused refused) {
        return Problem.at(ProblemCode.of(refused.code()), refused.pointer(), refused.detail());
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
        exchange.answer(items, found -> exchange.json(200, out -> PartWriter.claimed(out, found)));
    }

    private static Claim withinBots(Caller caller, Claim asked) {
        if (caller.botIds() == null) {
            return asked;
        }
        if (asked.botIds() == null) {
            return new Claim(
                    asked.workerId(),
                    asked.claimId(),
                    asked.limit(),
                    List.copyOf(caller.botIds()),
                    asked.lease(),
                    asked.waitFor());
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
        leases(
                exchange,
                exchange.json(LeaseDecoder::starts).map(LeaseDecoder.Leases::items),
                leases -> outbox.start(exchange.tenant(), exchange.caller().botIds(), leases));
    }

    private void renew(Exchange exchange) {
        Future<LeaseDecoder.Leases> asked = exchange.json(in -> LeaseDecoder.renewals(in, lease));
        leases(
                exchange,
                asked.map(LeaseDecoder.Leases::items),
                leases -> outbox.renew(
                        exchange.tenant(),
                        exchange.caller().botIds(),
                        leases,
                        asked.result().lease()));
    }

    private void settle(Exchange exchange) {
        leases(
                exchange,
                exchange.json(SettlementDecoder::decode),
                settlements ->
                        outbox.settle(exchange.tenant(), exchange.caller().botIds(), settlements));
    }

    /** Asks for those whose id can be one, and answers all in the order of the request. */
    private static <T> void leases(
            Exchange exchange,
            Future<List<LeaseDecoder.Item<T>>> items,
            Function<List<T>, Future<List<LeaseResult>>> ask) {
        Future<List<LeaseResult>> results = items.compose(all -> {
            List<T> known = all.stream()
                    .filter(it -> it.value() != null)
                    .map(it -> Objects.requireNonNull(it.value()))
                    .toList();
            return known.isEmpty() ? Future.succeededFuture(List.of()) : ask.apply(known);
        });
        exchange.answer(results, found -> {
            List<LeaseDecoder.Item<T>> all = items.result();
            boolean allDone = found.size() == all.size() && found.stream().allMatch(LeaseResult.Done.class::isInstance);
            exchange.json(allDone ? 200 : 207, out -> {
                out.writeStartObject();
                out.writeArrayFieldStart("results");
                int next = 0;
                for (LeaseDecoder.Item<T> item : all) {
                    PartWriter.leaseResult(out, item.id(), item.value() == null ? null : found.get(next++));
                }
                out.writeEndArray();
                out.writeEndObject();
            });
        });
    }
}
