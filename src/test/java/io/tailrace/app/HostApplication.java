package io.tailrace.app;

import io.tailrace.config.DatabaseConfig;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Somebody else's application: a Vert.x with one event loop, a verticle with an HTTP port of its own, and an account of
 * what was there before Tailrace came. One event loop, so that whatever blocked it would block all.
 */
final class HostApplication implements AutoCloseable {
    private static final String HELLO = "the host's own";

    final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Own own = new Own();
    private final Set<String> threadsBefore = threads();
    final Set<String> deploymentsBefore;

    private static final class Own extends VerticleBase {
        private volatile int port;

        @Override
        public Future<?> start() {
            return vertx.createHttpServer()
                    .requestHandler(request -> request.response().end(HELLO))
                    .listen(0, "127.0.0.1")
                    .onSuccess(server -> port = server.actualPort());
        }
    }

    HostApplication() {
        TestDatabase.await(vertx.deployVerticle(own));
        deploymentsBefore = vertx.deploymentIDs();
    }

    /** Settings of a Tailrace on that database, and nothing else: no port is opened. */
    static JsonObject settings(DatabaseConfig database) {
        return new JsonObject()
                .put(
                        "database",
                        new JsonObject()
                                .put("host", database.host())
                                .put("port", database.port())
                                .put("name", database.database())
                                .put("user", database.user())
                                .put("password", database.password().reveal()))
                .put("shutdown", new JsonObject().put("timeout", "8 s"));
    }

    static JsonObject batch(String id) {
        JsonObject part = new JsonObject()
                .put("bot_id", "8")
                .put("ordering_key", id)
                .put("method_kind", "sendMessage")
                .put("payload", new JsonObject().put("text", "Hello"));
        return new JsonObject().put("batch_id", id).put("parts", new JsonArray().add(part));
    }

    Future<Message<JsonObject>> request(String address, JsonObject body) {
        return vertx.eventBus().request(address, body, new DeliveryOptions().setSendTimeout(9_000));
    }

    Message<JsonObject> ask(String address, JsonObject body) {
        return TestDatabase.await(request(address, body));
    }

    /** What the host's own port says. */
    String hello() {
        var client = vertx.createHttpClient();
        return TestDatabase.await(client.request(HttpMethod.GET, own.port, "127.0.0.1", "/")
                .compose(HttpClientRequest::send)
                .compose(HttpClientResponse::body)
                .map(Object::toString)
                .eventually(client::close));
    }

    boolean isAlive() {
        return hello().equals(HELLO);
    }

    /** Threads of Tailrace that were not there before this host was. */
    Set<String> threadsLeft() {
        Set<String> now = threads();
        now.removeAll(threadsBefore);
        return now;
    }

    private static Set<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("tailrace-"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Override
    public void close() {
        TestDatabase.await(vertx.close());
    }
}
