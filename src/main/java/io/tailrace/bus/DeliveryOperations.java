package io.tailrace.bus;

import io.tailrace.activity.DeliveryService;
import io.tailrace.wire.DeliveryDecoder;
import io.tailrace.wire.DeliveryReplies;
import java.util.List;

/** Activities on their way out, and what providers say of them. */
final class DeliveryOperations {
    private final DeliveryService deliveries;

    DeliveryOperations(DeliveryService deliveries) {
        this.deliveries = deliveries;
    }

    List<Operation<?>> all() {
        return List.of(
                Operation.json(
                        DeliveryAddresses.CREATE,
                        "POST /v1/activities/{id}/deliveries",
                        LogDecoder::create,
                        (tenant, asked) -> deliveries
                                .create(tenant, asked.activity(), asked.request())
                                .map(it -> Answer.of(DeliveryReplies.made(it)))),
                Operation.json(
                        DeliveryAddresses.LIST,
                        "GET /v1/activities/{id}/deliveries",
                        LogDecoder::deliveries,
                        (tenant, asked) -> deliveries
                                .list(tenant, asked.activity(), asked.channel(), asked.status())
                                .map(found -> Answer.of(DeliveryReplies.list(found)))),
                Operation.json(
                        DeliveryAddresses.RECEIVE,
                        "POST /v1/deliveries/receipts",
                        DeliveryDecoder::receipts,
                        (tenant, receipts) -> deliveries
                                .receive(tenant, receipts)
                                .map(results -> Answer.of(DeliveryReplies.received(results)))));
    }
}
