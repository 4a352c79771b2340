package io.tailrace.http;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Requests a key may make, as a bucket that refills evenly (GCRA: one number a key). Shared by all event loops; keys
 * are those that authenticated, so there are only as many as were made.
 */
final class RateLimits {
    private static final long SECOND = 1_000_000_000L;
    /** A second's worth may come at once. */
    private static final long BURST = SECOND;

    /**
     * What became of a request.
     *
     * @param remaining how many more may follow at once
     * @param waitNanos until the next is allowed, when this one is not
     */
    record Verdict(boolean allowed, int limit, int remaining, long waitNanos) {
        /** In whole seconds, at least one, for Retry-After. */
        long waitSeconds() {
            return Math.max(1, (waitNanos + SECOND - 1) / SECOND);
        }
    }

    private final int perSecond;
    private final long intervalNanos;
    private final LongSupplier nanoTime;
    private final ConcurrentHashMap<String, AtomicLong> nextArrivals = new ConcurrentHashMap<>();

    /** @param nanoTime monotonic */
    RateLimits(int perSecond, LongSupplier nanoTime) {
        this.perSecond = perSecond;
        this.intervalNanos = perSecond == 0 ? 0 : SECOND / perSecond;
        this.nanoTime = nanoTime;
    }

    boolean off() {
        return perSecond == 0;
    }

    Verdict take(String keyId) {
        long now = nanoTime.getAsLong();
        AtomicLong next = nextArrivals.computeIfAbsent(keyId, id -> new AtomicLong(now));
        while (true) {
            long arrival = next.get();
            long from = arrival - now > 0 ? arrival : now;
            long after = from + intervalNanos;
            long ahead = after - now;
            if (ahead > BURST) {
                return new Verdict(false, perSecond, 0, ahead - BURST);
            }
            if (next.compareAndSet(arrival, after)) {
                return new Verdict(true, perSecond, (int) ((BURST - ahead) / intervalNanos), 0);
            }
        }
    }
}
