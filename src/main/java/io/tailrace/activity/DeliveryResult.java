package io.tailrace.activity;

import java.util.List;
import java.util.UUID;

/** What making deliveries came to. */
public sealed interface DeliveryResult {
    /** @param inserted whether any was made now */
    record Done(List<Delivery> deliveries, boolean inserted) implements DeliveryResult {
        public Done {
            deliveries = List.copyOf(deliveries);
        }
    }

    record NoActivity() implements DeliveryResult {}

    /** The month of the activity has left the database, or is just leaving (410 activity_archived). */
    record Archived() implements DeliveryResult {}

    /** The tenant has no such channel, or it is being deleted. */
    record NoChannel(UUID channelId) implements DeliveryResult {}

    /** The outbox refused the parts: the code and pointer are its own. */
    record Refused(String code, String pointer, String detail) implements DeliveryResult {}
}
