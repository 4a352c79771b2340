package io.tailrace.outbox;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Long polls: claims that found nothing and wait for work.
 *
 * <p>A nudge wakes a tenant's waiters one after another, oldest first, for as long as there seems to be work left; so a
 * hundred waiting senders do not all run to the database for one part. Nudges come from this instance and, by NOTIFY,
 * from others, and may be lost: while anybody waits, the database is asked every {@link #POLL} anyway.
 *
 * <p>All state lives on one context; the public methods may be called from any thread.
 */
final class Waiters {
    /** Also how late a part that becomes due by itself may be seen. */
    static final Duration POLL = Duration.ofMillis(250);
    /** Waiting claims on this instance; past it a claim is answered at once with what there is. */
    static final int MOST = 10_000;

    private static final class Waiter {
        final Claim claim;
        final BooleanSupplier wanted;
        final Promise<List<Claim.Item>> promise;
        boolean answered;
        boolean trying;
        boolean overdue;
        long timer;

        Waiter(Claim claim, BooleanSupplier wanted, Promise<List<Claim.Item>> promise) {
            this.claim = claim;
            this.wanted = wanted;
            this.promise = promise;
        }
    }

    private final Vertx vertx;
    private final Context context;
    private final BiFunction<UUID, Claim, Future<List<Claim.Item>>> claiming;
    private final Map<UUID, ArrayDeque<Waiter>> queues = new HashMap<>();
    private final Set<UUID> waking = new HashSet<>();
    private final Set<UUID> nudgedWhileWaking = new HashSet<>();
    private int waiting;
    private long pollTimer = -1;
    private boolean closed;

    Waiters(Vertx vertx, BiFunction<UUID, Claim, Future<List<Claim.Item>>> claiming) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.claiming = claiming;
    }

    /** Waits up to the claim's time for work; then an empty list. */
    Future<List<Claim.Item>> await(UUID tenant, Claim claim, BooleanSupplier wanted) {
        Promise<List<Claim.Item>> promise = ((ContextInternal) vertx.getOrCreateContext()).promise();
        context.runOnContext(ignored -> {
            if (closed || waiting >= MOST) {
                promise.complete(List.of());
                return;
            }
            Waiter waiter = new Waiter(claim, wanted, promise);
            waiting++;
            queues.computeIfAbsent(tenant, key -> new ArrayDeque<>()).add(waiter);
            waiter.timer = vertx.setTimer(Math.max(1, claim.waitFor().toMillis()), fired -> overdue(tenant, waiter));
            armPoll();
        });
        return promise.future();
    }

    /** Something may have become claimable for this tenant. */
    void nudge(UUID tenant) {
        context.runOnContext(ignored -> wake(tenant));
    }

    /** Something may have become claimable for anybody. */
    void nudgeAll() {
        context.runOnContext(ignored -> new ArrayList<>(queues.keySet()).forEach(this::wake));
    }

    /** Answers everybody with nothing, and from now on at once. */
    Future<Void> close() {
        Promise<Void> promise = Promise.promise();
        context.runOnContext(ignored -> {
            closed = true;
            queues.values().forEach(queue -> new ArrayList<>(queue).forEach(waiter -> answer(waiter, List.of())));
            queues.clear();
            promise.complete();
        });
        return promise.future();
    }

    private void armPoll() {
        if (pollTimer == -1 && waiting > 0 && !closed) {
            pollTimer = vertx.setTimer(POLL.toMillis(), fired -> {
                pollTimer = -1;
                new ArrayList<>(queues.keySet()).forEach(this::wake);
                armPoll();
            });
        }
    }

    private void wake(UUID tenant) {
        if (!waking.add(tenant)) {
            nudgedWhileWaking.add(tenant);
            return;
        }
        nudgedWhileWaking.remove(tenant);
        ArrayDeque<Waiter> queue = queues.get(tenant);
        next(tenant, queue == null ? 0 : queue.size());
    }

    /** Lets the oldest waiter try, and then perhaps the next; each at most once in a round. */
    private void next(UUID tenant, int left) {
        ArrayDeque<Waiter> queue = queues.get(tenant);
        Waiter waiter = queue == null || left == 0 ? null : pollLive(queue);
        if (waiter == null) {
            roundEnded(tenant);
            return;
        }
        waiter.trying = true;
        claiming.apply(tenant, waiter.claim)
                .onComplete(done -> context.runOnContext(ignored -> {
                    waiter.trying = false;
                    if (done.failed()) {
                        fail(waiter, done.cause());
                        roundEnded(tenant);
                        return;
                    }
                    List<Claim.Item> items = done.result();
                    boolean filtered = waiter.claim.botIds() != null;
                    boolean workLeft = items.size() == waiter.claim.limit() || filtered;
                    if (items.isEmpty() && !waiter.overdue && !closed) {
                        queues.computeIfAbsent(tenant, key -> new ArrayDeque<>())
                                .add(waiter);
                    } else {
                        answer(waiter, items);
                    }
                    next(tenant, workLeft ? left - 1 : 0);
                }));
    }

    private void roundEnded(UUID tenant) {
        waking.remove(tenant);
        ArrayDeque<Waiter> queue = queues.get(tenant);
        if (queue != null && queue.isEmpty()) {
            queues.remove(tenant);
        }
        if (nudgedWhileWaking.remove(tenant) && queues.containsKey(tenant)) {
            wake(tenant);
        }
    }

    private @Nullable Waiter pollLive(ArrayDeque<Waiter> queue) {
        Waiter waiter = queue.poll();
        while (waiter != null && (waiter.answered || !waiter.wanted.getAsBoolean())) {
            answer(waiter, List.of());
            waiter = queue.poll();
        }
        return waiter;
    }

    /** Time is up. A claim that is under way is still answered with what it leases: items for nobody would lapse. */
    private void overdue(UUID tenant, Waiter waiter) {
        waiter.overdue = true;
        if (!waiter.trying) {
            ArrayDeque<Waiter> queue = queues.get(tenant);
            if (queue != null) {
                queue.remove(waiter);
            }
            answer(waiter, List.of());
        }
    }

    private void answer(Waiter waiter, List<Claim.Item> items) {
        if (!waiter.answered) {
            waiter.answered = true;
            waiting--;
            vertx.cancelTimer(waiter.timer);
            waiter.promise.complete(items);
        }
    }

    private void fail(Waiter waiter, Throwable cause) {
        if (!waiter.answered) {
            waiter.answered = true;
            waiting--;
            vertx.cancelTimer(waiter.timer);
            waiter.promise.fail(cause);
        }
    }
}
