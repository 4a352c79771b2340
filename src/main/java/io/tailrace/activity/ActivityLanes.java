package io.tailrace.activity;

import io.tailrace.activity.ActivityAppendStore.Entry;
import io.tailrace.db.GroupCommit;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The group commit lanes of this process. A conversation is always in the same one, so that two flushes of one process never
 * wait for each other's conversations, and a conversation's appends are stored in the order in which they came.
 */
final class ActivityLanes {
    private final List<GroupCommit<Entry, AppendResult>> lanes;

    ActivityLanes(Vertx vertx, ActivityAppends appends, ActivitySettings settings) {
        this.lanes = IntStream.range(0, settings.lanes())
                .mapToObj(n -> new GroupCommit<>(
                        vertx,
                        settings.limits(),
                        appends,
                        entry -> entry.activity().weight(),
                        ActivityAppends::identity,
                        entry -> entry.activity().conversationId()))
                .toList();
    }

    Future<AppendResult> submit(Entry entry) {
        return lanes.get(laneOf(entry.activity().conversationId(), lanes.size()))
                .submit(entry);
    }

    static int laneOf(UUID conversation, int lanes) {
        return Math.floorMod(conversation.hashCode(), lanes);
    }

    int depth() {
        return lanes.stream().mapToInt(GroupCommit::depth).sum();
    }

    /** Takes nothing more; completes when everything accepted before has been answered. */
    Future<Void> close() {
        return Future.join(lanes.stream().map(GroupCommit::close).toList()).mapEmpty();
    }
}
