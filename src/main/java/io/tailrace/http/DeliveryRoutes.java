package io.tailrace.http;

import io.tailrace.activity.DeliveryRequest;
import io.tailrace.activity.DeliveryService;
import io.tailrace.activity.DeliveryStatus;
import io.tailrace.tenant.Caller;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.ActivityReplies;
import io.tailrace.wire.DeliveryDecoder;
import io.tailrace.wire.DeliveryReplies;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Activities on their way out, and what providers say of them. */
final class DeliveryRoutes {
    private static final Set<Scope> ACTIVITIES = Set.of(Scope.ACTIVITIES);
    private static final String OF_ACTIVITY = "/v1/activities/{id}/deliveries";

    private final DeliveryService deliveries;

    DeliveryRoutes(DeliveryService deliveries) {
        this.deliveries = deliveries;
    }

    List<Route> routes() {
        return List.of(
                new Route(HttpMethod.POST, OF_ACTIVITY, ACTIVITIES, this::create),
                new Route(HttpMethod.GET, OF_ACTIVITY, ACTIVITIES, this::list),
                new Route(HttpMethod.POST, "/v1/deliveries/receipts", ACTIVITIES, this::receive));
    }

    private void create(Exchange exchange) {
        UUID activity = ActivityRoutes.id(exchange, ActivityReplies::noActivity);
        exchange.answer(
                exchange.json(DeliveryDecoder::decode).compose(request -> {
                    requireOutbox(exchange.caller(), request.outgoing());
                    return deliveries.create(exchange.tenant(), activity, request);
                }),
                result -> exchange.reply(DeliveryReplies.made(result)));
    }

    /** What goes out through the outbox is asked of it as well. */
    private static void requireOutbox(Caller caller, DeliveryRequest.@Nullable Outgoing outgoing) {
        if (outgoing == null) {
            return;
        }
        if (!caller.has(Scope.OUTBOX)) {
            throw Problem.at(ProblemCode.FORBIDDEN_SCOPE, "/outbox", "the key needs the scope outbox for it")
                    .rejection();
        }
        if (!caller.mayUse(outgoing.botId())) {
            throw Problem.at(ProblemCode.FORBIDDEN_SCOPE, "/outbox/bot_id", "this key is bound to other bots")
                    .rejection();
        }
    }

    private void list(Exchange exchange) {
        Query query = exchange.query(List.of("channel_id", "status"));
        UUID activity = ActivityRoutes.id(exchange, ActivityReplies::noActivity);
        DeliveryStatus status = DeliveryDecoder.filter(query.text("status"), "query status");
        exchange.answer(
                deliveries.list(exchange.tenant(), activity, query.uuid("channel_id"), status),
                found -> exchange.reply(DeliveryReplies.list(found)));
    }

    private void receive(Exchange exchange) {
        exchange.answer(
                exchange.json(DeliveryDecoder::receipts)
                        .compose(receipts -> deliveries.receive(exchange.tenant(), receipts)),
                results -> exchange.reply(DeliveryReplies.received(results)));
    }
}
