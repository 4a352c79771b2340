package io.tailrace.activity;

import java.util.UUID;

/** What a receipt came to. */
public sealed interface ReceiptResult {
    /** @param changed false when the delivery was as far already, or may not go there any more */
    record Known(UUID deliveryId, DeliveryStatus status, boolean changed) implements ReceiptResult {}

    /** No delivery of the tenant is meant by it. Reported, not ignored. */
    record Unknown() implements ReceiptResult {}
}
