package io.tailrace.app;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Steps that end the service, one after another under one deadline (OPS-3).
 *
 * <p>A step that fails or overruns is logged and the next one is taken: pools are closed even when a request hangs. Steps
 * after the deadline are begun and not waited for.
 */
final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);

    private record Step(String name, Function<Duration, Future<?>> run) {}

    private final List<Step> steps = new ArrayList<>();

    /**
     * @param run begins the step, given the time left until the deadline
     */
    Shutdown then(String name, Function<Duration, Future<?>> run) {
        steps.add(new Step(name, run));
        return this;
    }

    /**
     * Blocks. True when every step ended well and in time.
     *
     * @throws IllegalStateException on an event loop: the steps would wait for the thread that waits for them
     */
    boolean run(Duration timeout) {
        if (Context.isOnEventLoopThread()) {
            throw new IllegalStateException("a shutdown blocks, and this is an event loop");
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean clean = true;
        for (Step step : steps) {
            Duration left = Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
            clean &= take(step, left);
        }
        return clean;
    }

    private static boolean take(Step step, Duration left) {
        long started = System.nanoTime();
        try {
            step.run.apply(left).toCompletionStage().toCompletableFuture().get(left.toMillis(), TimeUnit.MILLISECONDS);
            LOG.debug("shutdown: {} took {} ms", step.name, (System.nanoTime() - started) / 1_000_000);
            return true;
        } catch (TimeoutException e) {
            LOG.warn("shutdown: {} was not over in time and is left behind", step.name);
        } catch (ExecutionException | RuntimeException e) {
            LOG.warn("shutdown: {} failed: {}", step.name, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            LOG.warn("shutdown: interrupted in {}", step.name);
        }
        return false;
    }
}
