package io.tailrace.activity;

import io.tailrace.db.DatabaseFailure;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has months made that appends found missing (ACT-18). However many appends fail for it, once a second is asked and logged: a
 * month that cannot be made must not make a storm of attempts. Thread-safe.
 */
final class MissingMonths {
    private static final Logger LOG = LoggerFactory.getLogger(MissingMonths.class);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ActivityMetrics metrics;
    private final Runnable makeNow;
    private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

    MissingMonths(ActivityMetrics metrics, Runnable makeNow) {
        this.metrics = metrics;
        this.makeNow = makeNow;
    }

    /** Any failure of an append; others than this are none of its business. */
    void failed(Throwable cause) {
        if (!DatabaseFailure.is(cause, DatabaseFailure.Kind.PARTITION_MISSING)) {
            return;
        }
        metrics.partitionMissing();
        long until = quietUntil.get();
        long now = System.nanoTime();
        if (now - until >= 0 && quietUntil.compareAndSet(until, now + PAUSE_NANOS)) {
            LOG.error("no partition of activities takes this moment; making one: {}", cause.getMessage());
            makeNow.run();
        }
    }
}
