package io.tailrace.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.util.ArrayList;
import java.util.List;

/** Whether every event loop of the process takes a task and runs it: the loop that is stuck may not be the one asked. */
final class EventLoopCheck implements HealthCheck {
    private final VertxInternal vertx;

    EventLoopCheck(Vertx vertx) {
        this.vertx = (VertxInternal) vertx;
    }

    @Override
    public String name() {
        return "event_loop";
    }

    @Override
    public Future<CheckResult> check() {
        List<Future<Void>> loops = new ArrayList<>();
        vertx.nettyEventLoopGroup().forEach(loop -> {
            Promise<Void> alive = Promise.promise();
            loop.execute(alive::tryComplete);
            loops.add(alive.future());
        });
        return Future.all(loops).map(all -> CheckResult.ok());
    }
}
