package io.tailrace.wire;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Bytes of blobs that one edge may hold in memory at one time, over all event loops. Thread-safe. */
public final class BlobBudget {
    /** The largest blob and a few small ones beside it. */
    public static final long DEFAULT_BYTES = 64L * 1024 * 1024;

    private static final Duration TRY_AGAIN = Duration.ofSeconds(2);

    private final AtomicLong left;

    public BlobBudget(long bytes) {
        this.left = new AtomicLong(bytes);
    }

    /** False when there is not so much left now. */
    public boolean take(long bytes) {
        while (true) {
            long now = left.get();
            if (now < bytes) {
                return false;
            }
            if (left.compareAndSet(now, now - bytes)) {
                return true;
            }
        }
    }

    public void giveBack(long bytes) {
        left.addAndGet(bytes);
    }

    /** What is answered while there is not enough left. */
    public static Problem overloaded() {
        return Problem.of(ProblemCode.OVERLOADED, "too many blobs are under way at the moment")
                .retryAfter(TRY_AGAIN);
    }
}
