package io.tailrace.http;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.activity.Activities;
import io.tailrace.activity.ActivityLog;
import io.tailrace.activity.ActivityService;
import io.tailrace.activity.ActivitySettings;
import io.tailrace.activity.AnnouncedActivities;
import io.tailrace.activity.Conversations;
import io.tailrace.activity.Followers;
import io.tailrace.db.Database;
import io.tailrace.outbox.BlobStore;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.outbox.PartListStore;
import io.tailrace.testkit.EventStreamClient;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Everything from HTTP to PostgreSQL and back, every request and answer held against the document. */
final class LogFixture implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final Database database;
    private final Outbox outbox;
    private final Activities activities;
    final Followers followers;
    final EdgeFixture edge;
    /** How often a page was read. */
    final AtomicInteger pages = new AtomicInteger();

    final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    /** @param streams at once */
    LogFixture(TestDatabase db, int streams) {
        database = Database.open(vertx, db.config());
        outbox = new Outbox(vertx, database, OutboxSettings.DEFAULT, new SimpleMeterRegistry());
        activities = new Activities(vertx, database, ActivitySettings.DEFAULT, new SimpleMeterRegistry(), () -> {});
        followers = new Followers(vertx, database, meters, streams);
        followers.start();
        edge = new EdgeFixture(
                vertx,
                outbox,
                new PartListStore(database),
                new BlobStore(database),
                new ActivityLog(
                        new AnnouncedActivities(counted(activities), followers::appended),
                        new Conversations(database),
                        followers));
    }

    private ActivityService counted(ActivityService service) {
        return (ActivityService) Proxy.newProxyInstance(
                ActivityService.class.getClassLoader(),
                new Class<?>[] {ActivityService.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("page")) {
                        pages.incrementAndGet();
                    }
                    return method.invoke(service, arguments);
                });
    }

    /** Streams that are open. */
    double streams() {
        return meters.get("tailrace.activities.followers").gauge().value();
    }

    @Override
    public void close() {
        TestDatabase.await(followers.end());
        edge.close();
        TestDatabase.await(outbox.stop());
        TestDatabase.await(activities.stop());
        TestDatabase.await(followers.stop());
        TestDatabase.await(database.close());
        TestDatabase.await(vertx.close());
    }

    /** The id of a new one. */
    String conversation() {
        return edge.post("/v1/conversations", "{}").send().json().getString("id");
    }

    static String activities(String conversation) {
        return "/v1/conversations/" + conversation + "/activities";
    }

    static String message(String text) {
        return new JsonObject()
                .put("type", "message")
                .put("sender", "user-1")
                .put("text", text)
                .encode();
    }

    EdgeFixture.Answer append(String conversation, String body) {
        return edge.post(activities(conversation), body).send();
    }

    JsonObject page(String conversation, String query) {
        return edge.get(activities(conversation) + query).send().json();
    }

    EventStreamClient follow(String conversation, String key, @Nullable String lastEventId) {
        return EventStreamClient.open(url(conversation), key, lastEventId);
    }

    String url(String conversation) {
        return "http://127.0.0.1:" + edge.server.port() + "/v1/conversations/" + conversation + "/stream";
    }

    static String nobody() {
        return UUID.randomUUID().toString();
    }
}
