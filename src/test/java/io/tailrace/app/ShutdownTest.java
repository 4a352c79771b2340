package io.tailrace.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ShutdownTest {
    private final List<String> taken = new ArrayList<>();

    private Future<?> taken(String step) {
        taken.add(step);
        return Future.succeededFuture();
    }

    @Test
    @DisplayName("OPS-3 steps are taken in order")
    void inOrder() {
        boolean clean = new Shutdown()
                .then("intake", left -> taken("intake"))
                .then("flushes", left -> taken("flushes"))
                .then("pools", left -> taken("pools"))
                .run(Duration.ofSeconds(5));

        assertThat(clean).isTrue();
        assertThat(taken).containsExactly("intake", "flushes", "pools");
    }

    @Test
    @DisplayName("OPS-3 on an event loop no step is taken: they would wait for the thread that waits for them")
    void onAnEventLoop() {
        Vertx vertx = Vertx.vertx();
        Promise<Boolean> clean = Promise.promise();
        vertx.runOnContext(loop -> Future.succeededFuture()
                .map(now ->
                        new Shutdown().then("intake", left -> taken("intake")).run(Duration.ofSeconds(5)))
                .onComplete(clean));
        assertThat(TestDatabase.awaitFailure(clean.future())).hasMessageContaining("event loop");
        assertThat(taken).isEmpty();
        TestDatabase.await(vertx.close());
    }

    @Test
    @DisplayName("OPS-3 a step that fails or throws keeps no other from being taken")
    void failures() {
        boolean clean = new Shutdown()
                .then("fails", left -> Future.failedFuture("broken"))
                .then("throws", left -> {
                    throw new IllegalStateException("broken too");
                })
                .then("pools", left -> taken("pools"))
                .run(Duration.ofSeconds(5));

        assertThat(clean).isFalse();
        assertThat(taken).containsExactly("pools");
    }

    @Test
    @DisplayName(
            "OPS-3 one deadline: a step that never ends leaves none of it to the others, which are begun all the same")
    void deadline() {
        List<Duration> given = new ArrayList<>();
        boolean clean = new Shutdown()
                .then("hangs", left -> {
                    given.add(left);
                    return Promise.promise().future();
                })
                .then("pools", left -> {
                    given.add(left);
                    return taken("pools");
                })
                .run(Duration.ofMillis(50));

        assertThat(clean).isFalse();
        assertThat(taken).containsExactly("pools");
        assertThat(given.get(0)).isLessThanOrEqualTo(Duration.ofMillis(50));
        assertThat(given.get(1)).isZero();
    }
}
