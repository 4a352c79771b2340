package io.tailrace.cli;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a process running until SIGTERM, Ctrl-C or {@code System.exit}, and then closes what it holds, last first, before
 * the JVM may go.
 *
 * <p>Something handed over after the end has begun is closed at once, so a signal during the start leaves nothing behind.
 */
final class UntilStopped {
    private static final Logger LOG = LoggerFactory.getLogger(UntilStopped.class);

    private final Deque<AutoCloseable> held = new ArrayDeque<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private boolean ending;

    UntilStopped() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::end, "shutdown"));
    }

    /** To be closed at the end, before everything handed over earlier. */
    <T extends AutoCloseable> T hold(T resource) {
        synchronized (this) {
            if (!ending) {
                held.push(resource);
                return resource;
            }
        }
        close(resource);
        throw new CommandFailed("stopped while starting");
    }

    /** Closes everything now and returns when it is closed; the hook's work, and that of a start that failed. */
    void end() {
        synchronized (this) {
            ending = true;
        }
        while (true) {
            AutoCloseable next;
            synchronized (this) {
                next = held.poll();
            }
            if (next == null) {
                break;
            }
            close(next);
        }
        over.countDown();
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            LOG.warn("closing failed: {}", String.valueOf(e.getMessage()));
        }
    }

    /** Blocks until {@link #end()} is over. */
    void await() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
