package io.tailrace.worker;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a piece of work again and again, one run at a time, the next a period after the last one ended.
 *
 * <p>A failed run is logged and counted, and tried again soon, however long the period is: after seconds at first, twice
 * as long with each further failure in a row, up to {@link #LONGEST_BACK_OFF}. Thread-safe; work runs on the caller's
 * context or, from the timer, on a context of its own.
 */
public final class PeriodicWorker {
    static final Duration LONGEST_BACK_OFF = Duration.ofMinutes(1);
    /** An hourly worker does not wait an hour to try again; one that runs more often does not try faster than it runs. */
    static final Duration FIRST_BACK_OFF = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(PeriodicWorker.class);
    private static final long NO_TIMER = -1;

    private final Vertx vertx;
    private final String name;
    private final Duration period;
    private final Supplier<? extends Future<?>> work;
    private final Timer ok;
    private final Timer failed;

    private @Nullable Future<Void> inHand;
    private long timer = NO_TIMER;
    private boolean running;
    private int failures;

    /**
     * @param name as it appears in logs, metrics ({@code tailrace_worker_run_seconds{worker=…}}) and readiness
     * @param work one run; a failed Future or a thrown exception is a failed run
     */
    public PeriodicWorker(
            Vertx vertx, MeterRegistry meters, String name, Duration period, Supplier<? extends Future<?>> work) {
        this.vertx = vertx;
        this.name = name;
        this.period = period;
        this.work = work;
        this.ok = Timer.builder("tailrace.worker.run")
                .tag("worker", name)
                .tag("result", "ok")
                .register(meters);
        this.failed = Timer.builder("tailrace.worker.run")
                .tag("worker", name)
                .tag("result", "failed")
                .register(meters);
    }

    public String name() {
        return name;
    }

    /** Runs at once, then periodically until {@link #stop()}. */
    public synchronized void start() {
        if (!running) {
            running = true;
            arm(Duration.ofMillis(1));
        }
    }

    private synchronized void arm(Duration delay) {
        if (running && timer == NO_TIMER) {
            timer = vertx.setTimer(Math.max(1, delay.toMillis()), fired -> tick());
        }
    }

    private void tick() {
        synchronized (this) {
            timer = NO_TIMER;
            if (!running) {
                return;
            }
        }
        runOnce().onComplete(done -> armNext(done.succeeded()));
    }

    private synchronized void armNext(boolean succeeded) {
        arm(succeeded ? period : backOff(period, failures));
    }

    /** One run now; joins the run in hand if there is one. The Future fails as the run does, after it was logged. */
    public synchronized Future<Void> runOnce() {
        if (inHand != null) {
            return inHand;
        }
        Promise<Void> promise = Promise.promise();
        inHand = promise.future();
        long started = System.nanoTime();
        Future<?> run;
        try {
            run = work.get();
        } catch (RuntimeException e) {
            run = Future.failedFuture(e);
        }
        Future<Void> result = promise.future();
        run.onComplete(done -> {
            ended(done.succeeded() ? null : done.cause(), System.nanoTime() - started);
            if (done.succeeded()) {
                promise.complete();
            } else {
                promise.fail(done.cause());
            }
        });
        return result;
    }

    private synchronized void ended(@Nullable Throwable cause, long nanos) {
        inHand = null;
        if (cause == null) {
            failures = 0;
            ok.record(Duration.ofNanos(nanos));
        } else {
            failures++;
            failed.record(Duration.ofNanos(nanos));
            LOG.warn("worker {} failed, {} time(s) in a row: {}", name, failures, cause.toString());
        }
    }

    static Duration backOff(Duration period, int failuresInARow) {
        Duration first = period.compareTo(FIRST_BACK_OFF) < 0 ? period : FIRST_BACK_OFF;
        Duration doubled = first.multipliedBy(1L << Math.min(Math.max(failuresInARow - 1, 0), 16));
        return doubled.compareTo(LONGEST_BACK_OFF) > 0 ? LONGEST_BACK_OFF : doubled;
    }

    /** No further run; completes when the run in hand has ended, however it ended. */
    public synchronized Future<Void> stop() {
        running = false;
        if (timer != NO_TIMER) {
            vertx.cancelTimer(timer);
            timer = NO_TIMER;
        }
        return inHand == null ? Future.succeededFuture() : inHand.otherwiseEmpty();
    }
}
