package io.tailrace.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.activity.ActivityLog;
import io.tailrace.activity.ActivityService;
import io.tailrace.activity.ConversationService;
import io.tailrace.activity.LiveConversations;
import io.tailrace.config.BusConfig;
import io.tailrace.config.TailraceConfig;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.outbox.Blobs;
import io.tailrace.outbox.OutboxOperator;
import io.tailrace.outbox.OutboxService;
import io.tailrace.outbox.PartId;
import io.tailrace.outbox.PartQueries;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Whoever asks is answered, whatever the capability does. */
class BusAnswersTest {
    private static final String PART = new PartId(7, Instant.parse("2026-12-01T00:00:00Z")).opaque();

    /** A request of every operation that the capability is asked for. */
    static final List<String> ASKED = List.of(
            OutboxAddresses.CLAIM + " {\"worker_id\": \"w\"}",
            OutboxAddresses.START + " {\"items\": [{\"id\": \"" + PART + "\", \"lease_token\": 1}]}",
            OutboxAddresses.ITEM + " {\"id\": \"" + PART + "\"}",
            OutboxAddresses.LIST + " {}",
            OutboxAddresses.STATS + " {}",
            OutboxAddresses.CANCEL + " {\"id\": \"" + PART + "\"}",
            OutboxAddresses.PAUSE + " {\"bot_id\": \"7\"}",
            OutboxAddresses.GET_BLOB + " {\"sha256\": \"" + "0".repeat(64) + "\"}");

    private final Vertx vertx = Vertx.vertx();
    private final AtomicReference<Supplier<Future<?>>> capability =
            new AtomicReference<>(() -> Future.failedFuture("never asked"));
    private final AtomicReference<Future<Void>> open = new AtomicReference<>(Future.succeededFuture());

    @AfterEach
    void close() {
        TestDatabase.await(vertx.close());
    }

    /** Whose every method does what the test says; the operator is one of the same kind. */
    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> method.getName().equals("operator")
                        ? fake(OutboxOperator.class)
                        : capability.get().get()));
    }

    private OutboxOnBus start(int inFlight) {
        BusServices services = new BusServices(
                fake(OutboxService.class),
                fake(PartQueries.class),
                fake(Blobs.class),
                new SimpleMeterRegistry(),
                Duration.ofSeconds(90),
                vertx.createSharedWorkerExecutor("bus-test", 1),
                open::get,
                new ActivityLog(
                        fake(ActivityService.class), fake(ConversationService.class), fake(LiveConversations.class)));
        return TestDatabase.await(OutboxOnBus.start(
                vertx,
                services,
                new BusConfig(true, inFlight),
                TailraceConfig.defaults(Map.of()).http().limits(),
                1));
    }

    private ReplyException refused(String asked) {
        int space = asked.indexOf(' ');
        return (ReplyException) TestDatabase.awaitFailure(
                vertx.eventBus().request(asked.substring(0, space), new JsonObject(asked.substring(space))));
    }

    @ParameterizedTest(name = "BUS-1 a programmer''s error is answered as internal, with no word of how it came: {0}")
    @FieldSource("ASKED")
    void throwing(String asked) {
        start(10);
        capability.set(() -> {
            throw new IllegalStateException("SELECT secret");
        });
        ReplyException failure = refused(asked);
        assertThat(failure.failureCode()).isEqualTo(500);
        assertThat(BusProblem.of(failure).orElseThrow().code()).isEqualTo("internal");
        assertThat(failure.getMessage()).doesNotContain("secret");

        capability.set(() -> {
            throw new AssertionError("SELECT secret");
        });
        assertThat(refused(asked).failureCode()).isEqualTo(500);
    }

    @Test
    @DisplayName(
            "BUS-1 what the capability answers and nobody can write is answered as internal, and the place is free again")
    void unwritable() {
        start(1);
        capability.set(() -> Future.succeededFuture(List.of("no item of a claim")));
        for (int i = 0; i < 3; i++) {
            assertThat(BusProblem.of(refused(OutboxAddresses.CLAIM + " {\"worker_id\": \"w\"}"))
                            .orElseThrow()
                            .code())
                    .isEqualTo("internal");
        }
    }

    @Test
    @DisplayName("BUS-1 a failure is HTTP's status, and as its message the whole problem as HTTP has it")
    void format() {
        start(10);
        ReplyException failure = refused(OutboxAddresses.CLAIM + " {\"worker_id\": \"w\", \"limit\": 0}");
        assertThat(failure.failureType()).isEqualTo(ReplyFailure.RECIPIENT_FAILURE);
        assertThat(failure.failureCode()).isEqualTo(422);
        JsonObject problem = new JsonObject(failure.getMessage());
        assertThat(problem.fieldNames()).containsExactly("type", "title", "status", "code", "detail", "errors");
        assertThat(problem.getString("type")).isEqualTo("urn:tailrace:problem:invalid_field");
        assertThat(problem.getInteger("status")).isEqualTo(422);
        assertThat(problem.getString("code")).isEqualTo("invalid_field");
        assertThat(problem.getJsonArray("errors").getJsonObject(0).getString("pointer"))
                .isEqualTo("/limit");
        BusProblem read = BusProblem.of(failure).orElseThrow();
        assertThat(read.code()).isEqualTo("invalid_field");
        assertThat(read.json()).isEqualTo(problem);

        Throwable nobody = TestDatabase.awaitFailure(vertx.eventBus().request("tailrace.outbox.nothing", "{}"));
        assertThat(BusProblem.of(nobody)).isEmpty();
    }

    @Test
    @DisplayName("BUS-1 before the schema stands the answer is database_unavailable, and the capability is not asked")
    void tooEarly() {
        start(10);
        open.set(Future.failedFuture(new DatabaseFailure(DatabaseFailure.Kind.UNAVAILABLE, "starting", null)));
        capability.set(() -> {
            throw new AssertionError("asked");
        });
        assertThat(BusProblem.of(refused(OutboxAddresses.STATS + " {}"))
                        .orElseThrow()
                        .code())
                .isEqualTo("database_unavailable");
    }

    @Test
    @DisplayName("OPS-3 whoever undeploys the bus, what was received is answered first and nothing new is")
    void drain() {
        start(10);
        Promise<Object> slow = Promise.promise();
        Promise<Void> asked = Promise.promise();
        capability.set(() -> {
            asked.tryComplete();
            return slow.future();
        });
        Future<?> inHand = vertx.eventBus().request(OutboxAddresses.CLAIM, new JsonObject().put("worker_id", "w"));
        TestDatabase.await(asked.future());
        Future<Void> gone = vertx.undeploy(vertx.deploymentIDs().iterator().next());
        assertThat(((ReplyException) TestDatabase.awaitFailure(Future.<Object>succeededFuture()
                                .compose(now -> vertx.timer(100))
                                .compose(later -> vertx.eventBus().request(OutboxAddresses.STATS, new JsonObject()))))
                        .failureType())
                .isEqualTo(ReplyFailure.NO_HANDLERS);
        assertThat(gone.isComplete()).isFalse();
        slow.complete(List.of());
        TestDatabase.await(inHand);
        TestDatabase.await(gone);
    }
}
