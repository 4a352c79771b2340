package io.tailrace.bus;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How many requests are under way, at most so many. Thread-safe. */
final class InFlight {
    private final int most;
    private final List<Promise<Void>> idle = new ArrayList<>();
    private int now;

    InFlight(int most) {
        this.most = most;
    }

    synchronized boolean enter() {
        if (now == most) {
            return false;
        }
        now++;
        return true;
    }

    void leave() {
        List<Promise<Void>> waiting = List.of();
        synchronized (this) {
            now--;
            if (now == 0) {
                waiting = List.copyOf(idle);
                idle.clear();
            }
        }
        waiting.forEach(Promise::complete);
    }

    synchronized int now() {
        return now;
    }

    int most() {
        return most;
    }

    /** Completes once nothing is under way, or after {@code patience}. */
    Future<Void> idle(Duration patience) {
        return idle().timeout(Math.max(1, patience.toMillis()), TimeUnit.MILLISECONDS)
                .otherwiseEmpty();
    }

    private synchronized Future<Void> idle() {
        if (now == 0) {
            return Future.succeededFuture();
        }
        Promise<Void> promise = Promise.promise();
        idle.add(promise);
        return promise.future();
    }
}
