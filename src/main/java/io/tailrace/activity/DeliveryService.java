package io.tailrace.activity;

import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Deliveries, as every edge sees them. Failures and threads are {@link ActivityService}'s. */
public interface DeliveryService {
    /** Makes a delivery of an activity on each of these channels, or finds it (ACT-9). All or none. */
    Future<DeliveryResult> create(UUID tenant, UUID activity, DeliveryRequest request);

    /** The deliveries of an activity, oldest first; empty when the tenant has no such activity. */
    Future<Optional<List<Delivery>>> list(
            UUID tenant, UUID activity, @Nullable UUID channel, @Nullable DeliveryStatus status);

    /** Takes receipts in, each for itself; answers in order (ACT-10). */
    Future<List<ReceiptResult>> receive(UUID tenant, List<Receipt> receipts);
}
