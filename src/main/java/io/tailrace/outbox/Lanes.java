package io.tailrace.outbox;

import io.tailrace.db.GroupCommit;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The group commit lanes of this process. The first callers' contexts get a lane each, so that an HTTP server's requests
 * never change threads on their way into a flush; later contexts share those.
 */
final class Lanes {
    private final Vertx vertx;
    private final OutboxEnqueues enqueues;
    private final OutboxSettings settings;
    private final Map<Context, GroupCommit<OutboxEnqueues.Entry, EnqueueResult>> byContext = new ConcurrentHashMap<>();
    private final List<GroupCommit<OutboxEnqueues.Entry, EnqueueResult>> lanes = new ArrayList<>();

    Lanes(Vertx vertx, OutboxEnqueues enqueues, OutboxSettings settings) {
        this.vertx = vertx;
        this.enqueues = enqueues;
        this.settings = settings;
    }

    Future<EnqueueResult> submit(OutboxEnqueues.Entry entry) {
        Context context = vertx.getOrCreateContext();
        GroupCommit<OutboxEnqueues.Entry, EnqueueResult> lane = byContext.get(context);
        return (lane == null ? assign(context) : lane).submit(entry);
    }

    private synchronized GroupCommit<OutboxEnqueues.Entry, EnqueueResult> assign(Context context) {
        if (lanes.size() < settings.lanes() && context.isEventLoopContext()) {
            GroupCommit<OutboxEnqueues.Entry, EnqueueResult> lane = newLane();
            byContext.put(context, lane);
            return lane;
        }
        if (lanes.isEmpty()) {
            newLane();
        }
        // Not remembered: a context that is not one of the few may be one of very many.
        return lanes.get(Math.floorMod(context.hashCode(), lanes.size()));
    }

    private GroupCommit<OutboxEnqueues.Entry, EnqueueResult> newLane() {
        GroupCommit<OutboxEnqueues.Entry, EnqueueResult> lane = new GroupCommit<>(
                vertx, settings.limits(), enqueues, entry -> entry.batch().weight(), OutboxEnqueues.Entry::identity);
        lanes.add(lane);
        return lane;
    }

    synchronized int depth() {
        return lanes.stream().mapToInt(GroupCommit::depth).sum();
    }

    synchronized Future<Void> close() {
        return Future.join(lanes.stream().map(GroupCommit::close).toList()).mapEmpty();
    }
}
