package io.tailrace.db;

import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * How long flushes wait for locks: a tenth of a second; once that was in vain, for a second not at all, so that somebody who
 * holds a lock costs the others one wait a second, and not one a flush. Thread-safe.
 */
public final class LockPatience {
    private static final int PATIENCE_MS = 100;
    private static final int NONE_MS = 0;
    private static final long IMPATIENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private volatile long impatientUntil = System.nanoTime();

    /**
     * Runs a flush, and when a lock was waited for in vain, once more without waiting.
     *
     * @param flush given how many milliseconds it may wait for a lock; with 0 it leaves out what would have to wait
     */
    public <T> Future<T> run(IntFunction<Future<T>> flush) {
        boolean impatient = System.nanoTime() - impatientUntil < 0;
        return flush.apply(impatient ? NONE_MS : PATIENCE_MS).recover(cause -> {
            if (impatient || !DatabaseFailure.is(cause, DatabaseFailure.Kind.LOCK_TIMEOUT)) {
                return Future.failedFuture(cause);
            }
            impatientUntil = System.nanoTime() + IMPATIENT_NANOS;
            return flush.apply(NONE_MS);
        });
    }
}
