package io.tailrace.bus;

import io.tailrace.activity.Activity;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.json.JsonObject;

/** Says on the bus what was appended, at {@link ActivityAddresses#APPENDED_EVENT}. Nothing durable depends on it. Thread-safe. */
public final class AppendedEvents {
    private final EventBus bus;

    public AppendedEvents(EventBus bus) {
        this.bus = bus;
    }

    public void publish(Activity activity) {
        bus.publish(
                ActivityAddresses.APPENDED_EVENT,
                new JsonObject()
                        .put("tenant_id", activity.tenantId().toString())
                        .put("conversation_id", activity.conversationId().toString())
                        .put("id", activity.id().toString())
                        .put("seq", activity.seq())
                        .put("type", activity.type()));
    }
}
