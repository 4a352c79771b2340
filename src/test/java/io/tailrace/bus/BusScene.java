package io.tailrace.bus;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.activity.Activities;
import io.tailrace.activity.ActivityLog;
import io.tailrace.activity.ActivitySettings;
import io.tailrace.activity.AnnouncedActivities;
import io.tailrace.activity.Conversations;
import io.tailrace.activity.Followers;
import io.tailrace.config.BusConfig;
import io.tailrace.config.DatabaseConfig;
import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Database;
import io.tailrace.outbox.BlobStore;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.PartListStore;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;

/** A real outbox and a real log on the bus of a Vert.x, and somebody who asks. */
final class BusScene implements AutoCloseable {
    final Vertx vertx = Vertx.vertx();
    private final Database database;
    private final Outbox outbox;
    private final Activities activities;
    private final OutboxOnBus bus;

    BusScene(DatabaseConfig config, int inFlight) {
        database = Database.open(vertx, config);
        outbox = new Outbox(vertx, database, OutboxSettings.DEFAULT, new SimpleMeterRegistry());
        activities = new Activities(vertx, database, ActivitySettings.DEFAULT, new SimpleMeterRegistry(), () -> {});
        Followers followers = new Followers(vertx, database, new SimpleMeterRegistry(), 1);
        bus = TestDatabase.await(OutboxOnBus.start(
                vertx,
                new BusServices(
                        outbox,
                        new PartListStore(database),
                        new BlobStore(database),
                        new SimpleMeterRegistry(),
                        Duration.ofSeconds(90),
                        vertx.createSharedWorkerExecutor("bus-test", 2),
                        Future::succeededFuture,
                        new ActivityLog(
                                new AnnouncedActivities(activities, new AppendedEvents(vertx.eventBus())::publish),
                                new Conversations(database),
                                followers)),
                new BusConfig(true, inFlight),
                TailraceConfig.defaults(Map.of()).http().limits(),
                2));
    }

    @Override
    public void close() {
        TestDatabase.await(bus.shutdown(Duration.ofSeconds(2)));
        TestDatabase.await(outbox.stop());
        TestDatabase.await(activities.stop());
        TestDatabase.await(database.close());
        TestDatabase.await(vertx.close());
    }

    <T> Future<Message<T>> request(String address, Object body, DeliveryOptions options) {
        return vertx.eventBus().request(address, body, options);
    }

    Message<JsonObject> ask(String address, JsonObject body) {
        return TestDatabase.await(this.<JsonObject>request(address, body, new DeliveryOptions()));
    }

    BusProblem refused(String address, Object body, DeliveryOptions options) {
        return BusProblem.of(TestDatabase.awaitFailure(request(address, body, options)))
                .orElseThrow();
    }

    BusProblem refused(String address, Object body) {
        return refused(address, body, new DeliveryOptions());
    }

    /** One part of bot 7, on a key of its own. */
    static JsonObject batch(String id) {
        return batch(id, id, "7");
    }

    static JsonObject batch(String id, String orderingKey, String botId) {
        return new JsonObject()
                .put("batch_id", id)
                .put(
                        "parts",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("bot_id", botId)
                                        .put("ordering_key", orderingKey)
                                        .put("method_kind", "sendMessage")
                                        .put("payload", new JsonObject().put("text", "Hello"))));
    }

    /** Stores it; the id of its part. */
    String enqueue(JsonObject batch) {
        return ask(OutboxAddresses.ENQUEUE, batch)
                .body()
                .getJsonArray("parts")
                .getJsonObject(0)
                .getString("id");
    }

    static JsonObject id(String id) {
        return new JsonObject().put("id", id);
    }
}
