package io.tailrace.http;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes of blobs that may be in memory at one time, over all event loops. */
final class UploadBudget {
    /** The largest blob and a few small ones beside it. */
    static final long DEFAULT_BYTES = 64L * 1024 * 1024;

    private final AtomicLong left;

    UploadBudget(long bytes) {
        this.left = new AtomicLong(bytes);
    }

    /** False when there is not so much left now. */
    boolean take(long bytes) {
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

    void giveBack(long bytes) {
        left.addAndGet(bytes);
    }
}
