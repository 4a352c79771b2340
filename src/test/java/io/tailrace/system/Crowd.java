package io.tailrace.system;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Threads that work until they are done or told to stop; what one of them throws, {@link #join} throws. */
final class Crowd implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<Void>> running = new ArrayList<>();
    private final AtomicBoolean stopped = new AtomicBoolean();

    void add(Callable<Void> work) {
        running.add(threads.submit(work));
    }

    boolean stopped() {
        return stopped.get();
    }

    /** Throws what a thread that has ended threw; does not wait. */
    void check() throws Exception {
        for (Future<Void> thread : running) {
            if (thread.isDone()) {
                get(thread);
            }
        }
    }

    void stopAndJoin() throws Exception {
        stopped.set(true);
        join();
    }

    void join() throws Exception {
        for (Future<Void> thread : running) {
            get(thread);
        }
    }

    private static void get(Future<Void> thread) throws Exception {
        try {
            thread.get(90, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("a client failed: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("a client did not end", e);
        }
    }

    @Override
    public void close() {
        stopped.set(true);
        threads.shutdownNow();
    }
}
