package io.tailrace.bus;

/**
 * Where on the event bus deliveries listen (BUS-1). Bodies, replies and headers are those of {@link OutboxAddresses}: ask with a
 * Buffer where no number may be rounded.
 */
public final class DeliveryAddresses {
    private static final String PREFIX = "tailrace.deliveries.";

    /** As {@code POST /v1/activities/{id}/deliveries}: its body with {@code "activity_id": …}. */
    public static final String CREATE = PREFIX + "create";
    /** As {@code GET /v1/activities/{id}/deliveries}: {@code {"activity_id": …, "channel_id": …, "status": …}}. */
    public static final String LIST = PREFIX + "list";
    /** As {@code POST /v1/deliveries/receipts}. */
    public static final String RECEIVE = PREFIX + "receive";

    private DeliveryAddresses() {}
}
