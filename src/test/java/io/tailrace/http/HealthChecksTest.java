package io.tailrace.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.http.CheckResult.Status;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HealthChecksTest {
    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong nanos = new AtomicLong();
    private final Queue<Promise<CheckResult>> asked = new ArrayDeque<>();
    private final HealthCheck slow = new HealthCheck() {
        @Override
        public String name() {
            return "slow";
        }

        @Override
        public Future<CheckResult> check() {
            Promise<CheckResult> promise = Promise.promise();
            asked.add(promise);
            return promise.future();
        }
    };

    @AfterEach
    void close() throws Exception {
        get(vertx.close());
    }

    private static <T> T get(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(10, SECONDS);
    }

    private static CheckResult entry(HealthReport report, String name) {
        return Objects.requireNonNull(report.checks().get(name), name);
    }

    private HealthChecks of(HealthCheck... checks) {
        return new HealthChecks(vertx, List.of(checks), false, nanos::get);
    }

    @Test
    @DisplayName("API-6 probes that come together share one look, and its answer serves for a second")
    void shared() throws Exception {
        HealthChecks checks = of(slow);
        List<Future<HealthReport>> probes = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            probes.add(checks.report());
        }
        assertThat(asked).hasSize(1);
        asked.remove().complete(CheckResult.ok());
        for (Future<HealthReport> probe : probes) {
            assertThat(get(probe).status()).isEqualTo(Status.OK);
        }

        nanos.addAndGet(HealthChecks.FRESH.toNanos() - 1);
        assertThat(get(checks.report()).ready()).isTrue();
        assertThat(asked).isEmpty();
        nanos.addAndGet(1);
        checks.report();
        assertThat(asked).hasSize(1);
    }

    @Test
    @DisplayName("API-6 a check that hangs, fails or throws is an error of its own entry and holds up no other")
    void contained() throws Exception {
        HealthCheck failing = new HealthCheck() {
            @Override
            public String name() {
                return "failing";
            }

            @Override
            public Future<CheckResult> check() {
                return Future.failedFuture("no store");
            }
        };
        HealthCheck throwing = HealthCheck.of("throwing", () -> {
            throw new IllegalStateException("broken");
        });

        HealthReport report = get(of(slow, failing, throwing, HealthCheck.of("good", CheckResult::ok))
                .report());

        assertThat(report.checks()).containsOnlyKeys("slow", "failing", "throwing", "good");
        assertThat(entry(report, "slow").details().getString("detail")).contains("no answer within 2 s");
        assertThat(entry(report, "failing").details().getString("detail")).isEqualTo("no store");
        assertThat(entry(report, "throwing").status()).isEqualTo(Status.ERROR);
        assertThat(entry(report, "good").status()).isEqualTo(Status.OK);
        assertThat(report.httpStatus()).isEqualTo(200);
        assertThat(report.status()).isEqualTo(Status.DEGRADED);
    }

    @Test
    @DisplayName("API-6 only an entry that says so makes an instance unready")
    void whatMakesUnready() {
        CheckResult stale = new CheckResult(Status.STALE, true, new JsonObject());

        assertThat(report(stale).httpStatus()).isEqualTo(200);
        assertThat(report(stale).status()).isEqualTo(Status.STALE);
        assertThat(report(CheckResult.degraded("late")).status()).isEqualTo(Status.DEGRADED);
        assertThat(report(CheckResult.error("store lost")).httpStatus()).isEqualTo(200);
        assertThat(report(CheckResult.unready("gone")).httpStatus()).isEqualTo(503);
        assertThat(report(CheckResult.unready("gone")).status()).isEqualTo(Status.ERROR);
        assertThat(new HealthReport(Map.of("migrations", CheckResult.error("pending")), true).httpStatus())
                .isEqualTo(503);
    }

    private static HealthReport report(CheckResult second) {
        return new HealthReport(Map.of("first", CheckResult.ok(), "second", second), false);
    }

    @Test
    @DisplayName("OPS-3 an instance that is stopping is not ready, whatever its checks say")
    void stopping() throws Exception {
        Readiness readiness = new Readiness(vertx, List.of(HealthCheck.of("good", CheckResult::ok)), List.of());
        assertThat(get(readiness.readyz()).httpStatus()).isEqualTo(200);

        readiness.stopping();

        HealthReport report = get(readiness.readyz());
        assertThat(report.httpStatus()).isEqualTo(503);
        assertThat(entry(report, "process").details().getString("detail")).isEqualTo("stopping");
    }

    @Test
    @DisplayName("API-6 an event loop that is stuck is not alive")
    void stuckLoop() throws Exception {
        assertThat(get(new EventLoopCheck(vertx).check()).status()).isEqualTo(Status.OK);

        Promise<Void> stuck = Promise.promise();
        CountDownLatch release = new CountDownLatch(1);
        vertx.getOrCreateContext().runOnContext(never -> {
            stuck.complete();
            try {
                release.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        get(stuck.future());
        Future<CheckResult> whileStuck = new EventLoopCheck(vertx).check();
        assertThat(whileStuck.isComplete()).isFalse();
        release.countDown();
        assertThat(get(whileStuck).status()).isEqualTo(Status.OK);
    }
}
