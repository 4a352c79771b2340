package io.tailrace.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.bus.BusProblem;
import io.tailrace.bus.OutboxAddresses;
import io.tailrace.example.ShopApplication;
import io.tailrace.testkit.RestartableServer;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tailrace in somebody else's application. */
class EmbeddedTailraceIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final Duration START = Duration.ofSeconds(30);

    private static EmbeddingOptions options() {
        return EmbeddingOptions.of(HostApplication.settings(DB.config()));
    }

    private static EmbeddedTailrace deploy(HostApplication host, EmbeddingOptions options) {
        EmbeddedTailrace tailrace = TestDatabase.await(EmbeddedTailrace.deploy(host.vertx, options), START);
        TestDatabase.await(tailrace.ready(), START);
        return tailrace;
    }

    private static boolean close(EmbeddedTailrace tailrace) {
        return TestDatabase.await(tailrace.close(), Duration.ofSeconds(15));
    }

    private static List<?> sessions() {
        return DB.query("""
                SELECT application_name, state, query FROM pg_stat_activity
                WHERE datname = current_database() AND application_name LIKE 'tailrace%'
                  AND application_name <> 'tailrace-test'
                """);
    }

    /** And nothing comes back: what a forgotten timer does, it does within this time. */
    private static void assertNothingLeft(HostApplication host) {
        Awaitility.await("all gone").atMost(Duration.ofSeconds(3)).untilAsserted(() -> {
            assertThat(sessions()).isEmpty();
            assertThat(host.threadsLeft()).isEmpty();
        });
        Awaitility.await("nothing comes back")
                .during(Duration.ofMillis(2_500))
                .atMost(Duration.ofSeconds(5))
                .until(() -> sessions().isEmpty() && host.threadsLeft().isEmpty());
    }

    @Test
    @DisplayName("BUS-2 an application on its own Vert.x embeds Tailrace, sends by it, ends it and lives on")
    void application() {
        try (HostApplication host = new HostApplication()) {
            List<JsonObject> sent = new CopyOnWriteArrayList<>();
            ShopApplication shop = new ShopApplication(HostApplication.settings(DB.config()), payload -> {
                sent.add(payload);
                return Future.succeededFuture(new JsonObject().put("message_id", sent.size()));
            });
            String deployed = TestDatabase.await(host.vertx.deployVerticle(shop), START);
            TestDatabase.await(shop.tell("7", 1001, "On its way", 3));
            TestDatabase.await(shop.tell("7:noon", 1001, "It arrives at noon", 3));
            TestDatabase.await(shop.tell("7", 1001, "On its way", 3));
            Awaitility.await("delivered")
                    .until(() -> DB.number("SELECT count(*) FROM telegram_outbox WHERE batch_id LIKE 'order:7%'"
                                    + " AND state = 'delivered'")
                            == 2);
            assertThat(sent)
                    .extracting(payload -> payload.getString("text"))
                    .containsExactly("On its way", "It arrives at noon");

            // Its claim waits for work at this moment.
            TestDatabase.await(host.vertx.undeploy(deployed));
            assertThat(host.vertx.deploymentIDs()).isEqualTo(host.deploymentsBefore);
            assertNothingLeft(host);
            assertThat(host.isAlive()).isTrue();
        }
    }

    @Test
    @DisplayName(
            "BUS-2 closing leaves no port, session, thread, deployment or meter behind, may be asked twice, and another may come")
    void leavesNothing() {
        try (HostApplication host = new HostApplication()) {
            SimpleMeterRegistry meters = new SimpleMeterRegistry();
            meters.counter("host.own");
            JsonObject settings = HostApplication.settings(DB.config())
                    .put(
                            "http",
                            new JsonObject().put("enabled", true).put("port", 0).put("host", "127.0.0.1"))
                    .put("management", new JsonObject().put("enabled", true).put("port", 0));
            EmbeddingOptions options = EmbeddingOptions.of(settings).withMeters(meters);
            for (String round : List.of("first", "second")) {
                EmbeddedTailrace tailrace = deploy(host, options);
                assertThat(host.ask(OutboxAddresses.ENQUEUE, HostApplication.batch("left:" + round))
                                .headers()
                                .get(OutboxAddresses.STATUS_HEADER))
                        .isEqualTo("201");
                assertThat(listens(tailrace.port())).isTrue();
                assertThat(listens(tailrace.managementPort())).isTrue();
                // Counted once the reply is on its way.
                Awaitility.await("counted")
                        .until(() -> meters.find("tailrace.bus.requests").timer() != null);
                assertThat(meters.get("tailrace.bus.in.flight").gauge().value()).isZero();

                Future<Boolean> closing = tailrace.close();
                Future<Boolean> again = tailrace.close();
                assertThat(TestDatabase.await(closing, Duration.ofSeconds(15))).isTrue();
                assertThat(TestDatabase.await(again)).isTrue();
                assertThat(close(tailrace)).isTrue();

                assertThat(host.vertx.deploymentIDs()).isEqualTo(host.deploymentsBefore);
                assertThat(meters.isClosed()).isFalse();
                assertThat(listens(tailrace.port())).isFalse();
                assertThat(listens(tailrace.managementPort())).isFalse();
                assertThat(meters.getMeters())
                        .extracting(it -> it.getId().getName())
                        .containsExactly("host.own");
                assertThat(failure(host.request(OutboxAddresses.STATS, new JsonObject()))
                                .failureType())
                        .isEqualTo(ReplyFailure.NO_HANDLERS);
                assertNothingLeft(host);
                assertThat(host.isAlive()).isTrue();
            }
        }
    }

    private static boolean listens(int port) {
        try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static ReplyException failure(Future<?> future) {
        return (ReplyException) TestDatabase.awaitFailure(future);
    }

    /** Enqueues of which some are in hand while the end begins, each answered by the end of it. */
    private static List<Future<?>> burst(HostApplication host, String prefix) {
        List<Future<?>> asked = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 400; i++) {
            asked.add(host.request(OutboxAddresses.ENQUEUE, HostApplication.batch(prefix + i)));
        }
        return asked;
    }

    private static void assertAcknowledgedIsStored(List<Future<?>> asked, String prefix) {
        List<Integer> acknowledged = new CopyOnWriteArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            if (asked.get(i).succeeded()) {
                acknowledged.add(i);
            }
        }
        List<Integer> stored =
                DB.query("SELECT batch_id FROM telegram_outbox WHERE batch_id LIKE ?", prefix + "%").stream()
                        .map(row -> Integer.valueOf(
                                String.valueOf(row.get("batch_id")).substring(prefix.length())))
                        .toList();
        assertThat(acknowledged).isNotEmpty();
        assertThat(stored).containsAll(acknowledged);
    }

    @Test
    @DisplayName(
            "OPS-3 an embedded Tailrace that is closed answers waiting claims and what is in hand, and stores what it acknowledged")
    void drains() {
        try (HostApplication host = new HostApplication()) {
            EmbeddedTailrace tailrace = deploy(host, options());
            var waiting = host.request(
                    OutboxAddresses.CLAIM,
                    new JsonObject()
                            .put("worker_id", "w")
                            .put("bot_ids", List.of("404"))
                            .put("wait_seconds", 30));
            List<Future<?>> asked = burst(host, "drained:");
            TestDatabase.await(asked.get(0));
            Future<Boolean> closing = tailrace.close();
            assertThat(TestDatabase.await(closing, Duration.ofSeconds(15))).isTrue();

            assertThat(TestDatabase.await(waiting).body().getJsonArray("items")).isEmpty();
            TestDatabase.await(Future.join(asked).otherwiseEmpty());
            // Answered, or refused because nobody listened any more; never left to time out.
            assertThat(asked.stream().filter(Future::failed).map(Future::cause))
                    .allMatch(cause -> ((ReplyException) cause).failureType() == ReplyFailure.NO_HANDLERS);
            assertAcknowledgedIsStored(asked, "drained:");
            assertNothingLeft(host);
        }
    }

    @Test
    @DisplayName(
            "BUS-2 a host that closes its Vert.x without a word loses nothing that was acknowledged, and leaves no session")
    void hostCloses() {
        HostApplication host = new HostApplication();
        EmbeddedTailrace tailrace = deploy(host, options());
        var waiting = host.request(
                OutboxAddresses.CLAIM,
                new JsonObject()
                        .put("worker_id", "w")
                        .put("bot_ids", List.of("404"))
                        .put("wait_seconds", 30));
        List<Future<?>> asked = burst(host, "host-closed:");
        TestDatabase.await(asked.get(0));
        TestDatabase.await(host.vertx.close(), Duration.ofSeconds(15));

        assertThat(waiting.succeeded()).isTrue();
        assertAcknowledgedIsStored(asked, "host-closed:");
        assertThat(close(tailrace)).isTrue();
        assertNothingLeft(host);
    }

    @Test
    @DisplayName(
            "BUS-2 a second Tailrace in one Vert.x is refused with the reason; in a Vert.x of its own it works beside the first")
    void second() {
        try (HostApplication host = new HostApplication();
                HostApplication other = new HostApplication()) {
            EmbeddedTailrace first = deploy(host, options());
            Throwable refused = TestDatabase.awaitFailure(EmbeddedTailrace.deploy(host.vertx, options()));
            assertThat(refused).isInstanceOf(IllegalStateException.class).hasMessageContaining("a Tailrace already");
            host.ask(OutboxAddresses.ENQUEUE, HostApplication.batch("beside"));

            EmbeddedTailrace second = deploy(other, options());
            assertThat(other.ask(OutboxAddresses.BATCH, new JsonObject().put("batch_id", "beside"))
                            .body()
                            .getJsonArray("parts"))
                    .hasSize(1);
            assertThat(close(first)).isTrue();
            assertThat(other.ask(OutboxAddresses.ENQUEUE, HostApplication.batch("beside"))
                            .headers()
                            .get(OutboxAddresses.STATUS_HEADER))
                    .isEqualTo("200");
            assertThat(close(second)).isTrue();
        }
    }

    @Test
    @DisplayName(
            "BUS-2 a port that is taken fails the deployment, says which, and leaves nothing; without it the same host may try again")
    void portTaken() throws IOException {
        try (HostApplication host = new HostApplication();
                ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            JsonObject settings = HostApplication.settings(DB.config())
                    .put(
                            "http",
                            new JsonObject()
                                    .put("enabled", true)
                                    .put("host", "127.0.0.1")
                                    .put("port", taken.getLocalPort()));
            Throwable refused =
                    TestDatabase.awaitFailure(EmbeddedTailrace.deploy(host.vertx, EmbeddingOptions.of(settings)));
            assertThat(refused).hasMessageContaining("set http.host or http.port");
            assertThat(host.vertx.deploymentIDs()).isEqualTo(host.deploymentsBefore);
            assertNothingLeft(host);
            assertThat(close(deploy(host, options()))).isTrue();
        }
    }

    @Test
    @DisplayName(
            "BUS-2 deployed while PostgreSQL is down it answers database_unavailable, recovers by itself, and can be closed at any time")
    void withoutPostgres() {
        try (RestartableServer postgres = RestartableServer.stopped();
                HostApplication host = new HostApplication()) {
            EmbeddingOptions options = EmbeddingOptions.of(HostApplication.settings(postgres.config()));
            EmbeddedTailrace early = TestDatabase.await(EmbeddedTailrace.deploy(host.vertx, options), START);
            assertThat(problem(host)).isEqualTo("database_unavailable");
            assertThat(close(early)).isTrue();
            assertThat(TestDatabase.awaitFailure(early.ready())).hasMessageContaining("stopped before it was ready");
            assertNothingLeft(host);

            EmbeddedTailrace tailrace = TestDatabase.await(EmbeddedTailrace.deploy(host.vertx, options), START);
            assertThat(problem(host)).isEqualTo("database_unavailable");
            postgres.start();
            TestDatabase.await(tailrace.ready(), START);
            assertThat(host.ask(OutboxAddresses.ENQUEUE, HostApplication.batch("recovered"))
                            .headers()
                            .get(OutboxAddresses.STATUS_HEADER))
                    .isEqualTo("201");
            assertThat(close(tailrace)).isTrue();
        }
    }

    private static String problem(HostApplication host) {
        Future<?> asked = host.vertx
                .eventBus()
                .request(OutboxAddresses.ENQUEUE, HostApplication.batch("early"), new DeliveryOptions());
        return BusProblem.of(TestDatabase.awaitFailure(asked)).orElseThrow().code();
    }
}
