package io.tailrace.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks a set of checks, all at once, on behalf of any number of probes: one that is being asked is not asked again, an
 * answer serves for {@link #FRESH}, and one that does not come within {@link #PATIENCE} is an error. Thread-safe.
 */
final class HealthChecks {
    static final Duration FRESH = Duration.ofSeconds(1);
    static final Duration PATIENCE = Duration.ofSeconds(2);

    private final Vertx vertx;
    private final LongSupplier nanoTime;
    private final boolean everyOneMustBeOk;
    private final List<Watched> watched;

    HealthChecks(Vertx vertx, List<HealthCheck> checks, boolean everyOneMustBeOk, LongSupplier nanoTime) {
        this.everyOneMustBeOk = everyOneMustBeOk;
        this.vertx = vertx;
        this.nanoTime = nanoTime;
        this.watched = checks.stream().map(Watched::new).toList();
    }

    /** Every check's answer by name, in their order. Never fails. */
    Future<HealthReport> report() {
        List<Future<CheckResult>> asked = new ArrayList<>();
        watched.forEach(one -> asked.add(one.result()));
        return Future.all(new ArrayList<>(asked)).map(all -> {
            Map<String, CheckResult> results = new LinkedHashMap<>();
            for (int i = 0; i < asked.size(); i++) {
                results.put(watched.get(i).check.name(), asked.get(i).result());
            }
            return new HealthReport(results, everyOneMustBeOk);
        });
    }

    private final class Watched {
        private final HealthCheck check;
        private @Nullable Future<CheckResult> latest;
        private long answeredAt;

        Watched(HealthCheck check) {
            this.check = check;
        }

        synchronized Future<CheckResult> result() {
            Future<CheckResult> known = latest;
            boolean serves =
                    known != null && (!known.isComplete() || nanoTime.getAsLong() - answeredAt < FRESH.toNanos());
            if (serves && known != null) {
                return known;
            }
            Promise<CheckResult> promise = Promise.promise();
            latest = promise.future();
            ask(promise);
            return promise.future();
        }

        private void ask(Promise<CheckResult> promise) {
            long timer = vertx.setTimer(
                    PATIENCE.toMillis(),
                    late -> answer(promise, CheckResult.error("no answer within " + PATIENCE.toSeconds() + " s")));
            Future<CheckResult> asked;
            try {
                asked = check.check();
            } catch (RuntimeException e) {
                asked = Future.failedFuture(e);
            }
            asked.otherwise(cause -> CheckResult.error(String.valueOf(cause.getMessage())))
                    .onComplete(done -> {
                        vertx.cancelTimer(timer);
                        answer(promise, done.result());
                    });
        }

        private void answer(Promise<CheckResult> promise, CheckResult result) {
            synchronized (this) {
                answeredAt = nanoTime.getAsLong();
            }
            promise.tryComplete(result);
        }
    }
}
