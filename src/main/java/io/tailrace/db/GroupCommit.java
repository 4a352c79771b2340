package io.tailrace.db;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits entries that arrive together in one transaction: one lane, one flush in flight.
 *
 * <p>An entry that finds the lane idle is flushed at once, so at low load nobody waits; while a flush is in flight,
 * entries gather and go with the next one. There is no linger timer. The queue is bounded in entries and in bytes, and
 * a full one refuses with {@link DatabaseFailure.Kind#OVERLOADED}.
 *
 * <p>One entry never fails or stalls another:
 *
 * <ul>
 *   <li>a flush that fails as a whole is taken apart and each entry is run alone;
 *   <li>an entry that the flush sets aside (it would have waited for a lock) is run alone, beside the lane;
 *   <li>a flush whose commit has no known outcome is not retried: its entries fail with {@code OUTCOME_UNKNOWN}.
 * </ul>
 *
 * <p>A lane belongs to the context it was made on; {@link #submit} may be called from any thread and completes its
 * Future on the caller's context.
 *
 * @param <E> an entry
 * @param <R> what an entry comes to
 */
public final class GroupCommit<E, R> {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCommit.class);

    /** What a flush says about one of its entries, in the order of the entries. */
    public sealed interface Outcome<R> {
        /** Committed, or refused by a rule: the entry's own answer. */
        record Done<R>(R result) implements Outcome<R> {}

        /** Not touched by this flush, which would have had to wait for it; to be run alone. */
        record SetAside<R>() implements Outcome<R> {}
    }

    /** The transaction. */
    public interface Flush<E, R> {
        /** Runs the entries in one transaction; the list answers them in order. Waits for no lock for long. */
        Future<List<Outcome<R>>> together(List<E> entries);

        /** Runs one entry in a transaction of its own and waits for its locks as long as a request may. */
        Future<R> alone(E entry);
    }

    /**
     * Bounds of a lane.
     *
     * @param flushEntries at most so many entries in one flush
     * @param flushBytes a flush is closed when it has reached this size
     * @param queueEntries entries waiting for a flush before the next is refused
     * @param queueBytes their size before the next is refused
     * @param asideAtOnce entries run alone at the same time; the others wait in a queue of {@code queueEntries}
     */
    public record Limits(int flushEntries, long flushBytes, int queueEntries, long queueBytes, int asideAtOnce) {}

    private record Waiting<E, R>(E entry, int bytes, Object identity, Object order, Promise<R> promise) {}

    private final Vertx vertx;
    private final Context context;
    private final Limits limits;
    private final Flush<E, R> flush;
    private final ToIntFunction<E> sizeOf;
    private final Function<E, Object> identityOf;
    private final Function<E, Object> orderOf;
    private final ArrayDeque<Waiting<E, R>> queue = new ArrayDeque<>();
    private final ArrayDeque<Waiting<E, R>> aside = new ArrayDeque<>();
    /** By order, how many are aside, those that are running included. */
    private final Map<Object, Integer> asideOf = new HashMap<>();

    private final Set<Object> asideRunningOf = new HashSet<>();
    private final List<Promise<Void>> drains = new ArrayList<>();
    private long queuedBytes;
    private int asideRunning;
    private boolean flushing;
    private boolean closed;

    /**
     * @param sizeOf bytes an entry weighs in the queue
     * @param identityOf entries with equal identities never share a flush, because the second must see the first's rows
     */
    public GroupCommit(
            Vertx vertx, Limits limits, Flush<E, R> flush, ToIntFunction<E> sizeOf, Function<E, Object> identityOf) {
        this(vertx, limits, flush, sizeOf, identityOf, entry -> new Object());
    }

    /**
     * The same for entries of which some are committed in the order in which they came, also when one of them is set aside: the
     * later ones wait for it, and nobody else does.
     *
     * @param orderOf entries with an equal one keep their order among themselves
     */
    public GroupCommit(
            Vertx vertx,
            Limits limits,
            Flush<E, R> flush,
            ToIntFunction<E> sizeOf,
            Function<E, Object> identityOf,
            Function<E, Object> orderOf) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.limits = limits;
        this.flush = flush;
        this.sizeOf = sizeOf;
        this.identityOf = identityOf;
        this.orderOf = orderOf;
    }

    /** The entry's own answer once its transaction is committed. */
    public Future<R> submit(E entry) {
        Promise<R> promise = ((ContextInternal) vertx.getOrCreateContext()).promise();
        Waiting<E, R> waiting =
                new Waiting<>(entry, sizeOf.applyAsInt(entry), identityOf.apply(entry), orderOf.apply(entry), promise);
        if (Vertx.currentContext() == context) {
            accept(waiting);
        } else {
            context.runOnContext(ignored -> accept(waiting));
        }
        return promise.future();
    }

    /** Entries waiting for a flush or to be run alone. A reading for a gauge, not synchronized. */
    public int depth() {
        return queue.size() + aside.size();
    }

    /** Takes nothing more; completes when everything accepted before has been answered. */
    public Future<Void> close() {
        Promise<Void> promise = Promise.promise();
        context.runOnContext(ignored -> {
            closed = true;
            drains.add(promise);
            settleDrains();
        });
        return promise.future();
    }

    private void accept(Waiting<E, R> waiting) {
        if (closed) {
            waiting.promise.fail(new DatabaseFailure(
                    DatabaseFailure.Kind.OVERLOADED, "the service is shutting down; try another instance", null));
            return;
        }
        boolean full = queue.size() >= limits.queueEntries
                || (queuedBytes + waiting.bytes > limits.queueBytes && !queue.isEmpty());
        if (full) {
            waiting.promise.fail(new DatabaseFailure(
                    DatabaseFailure.Kind.OVERLOADED, "the write queue is full; try again later", null));
            return;
        }
        queue.add(waiting);
        queuedBytes += waiting.bytes;
        flushIfIdle();
    }

    private void flushIfIdle() {
        if (flushing || queue.isEmpty()) {
            return;
        }
        List<Waiting<E, R>> batch = take();
        if (batch.isEmpty()) {
            // All that is there waits for somebody who is aside, whose end comes by here again.
            return;
        }
        flushing = true;
        Future<List<Outcome<R>>> running;
        try {
            running = flush.together(batch.stream().map(Waiting::entry).toList());
        } catch (RuntimeException e) {
            running = Future.failedFuture(e);
        }
        running.onComplete(done -> context.runOnContext(ignored -> {
            flushing = false;
            if (done.succeeded()) {
                answer(batch, done.result());
            } else {
                takeApart(batch, DatabaseFailure.of(done.cause()));
            }
            flushIfIdle();
            settleDrains();
        }));
    }

    private List<Waiting<E, R>> take() {
        List<Waiting<E, R>> batch = new ArrayList<>();
        Set<Object> identities = new HashSet<>();
        long bytes = 0;
        Iterator<Waiting<E, R>> candidates = queue.iterator();
        while (candidates.hasNext() && batch.size() < limits.flushEntries && bytes < limits.flushBytes) {
            Waiting<E, R> next = candidates.next();
            if (asideOf.containsKey(next.order)) {
                continue;
            }
            if (bytes > 0 && bytes + next.bytes > limits.flushBytes) {
                break;
            }
            // A second entry with this identity stays, and with it its place before any third.
            if (identities.add(next.identity)) {
                candidates.remove();
                batch.add(next);
                bytes += next.bytes;
            }
        }
        queuedBytes -= bytes;
        return batch;
    }

    private void answer(List<Waiting<E, R>> batch, List<Outcome<R>> outcomes) {
        if (outcomes.size() != batch.size()) {
            IllegalStateException broken = new IllegalStateException(
                    "a flush of " + batch.size() + " entries gave " + outcomes.size() + " outcomes");
            batch.forEach(waiting -> waiting.promise.fail(broken));
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            if (outcomes.get(i) instanceof Outcome.Done<R> done) {
                batch.get(i).promise.complete(done.result());
            } else {
                runAside(batch.get(i));
            }
        }
    }

    private void takeApart(List<Waiting<E, R>> batch, Throwable cause) {
        boolean hopeless = DatabaseFailure.is(cause, DatabaseFailure.Kind.OUTCOME_UNKNOWN)
                || DatabaseFailure.is(cause, DatabaseFailure.Kind.UNAVAILABLE)
                || DatabaseFailure.is(cause, DatabaseFailure.Kind.OVERLOADED);
        if (hopeless) {
            batch.forEach(waiting -> waiting.promise.fail(cause));
            return;
        }
        LOG.debug("a flush of {} entries failed and is taken apart", batch.size(), cause);
        batch.forEach(this::runAside);
    }

    private void runAside(Waiting<E, R> waiting) {
        if (aside.size() >= limits.queueEntries) {
            waiting.promise.fail(new DatabaseFailure(
                    DatabaseFailure.Kind.OVERLOADED, "too many writes are waiting for a lock; try again later", null));
            return;
        }
        aside.add(waiting);
        asideOf.merge(waiting.order, 1, Integer::sum);
        nextAside();
    }

    private void nextAside() {
        Iterator<Waiting<E, R>> candidates = aside.iterator();
        while (asideRunning < limits.asideAtOnce && candidates.hasNext()) {
            Waiting<E, R> next = candidates.next();
            if (!asideRunningOf.add(next.order)) {
                continue;
            }
            candidates.remove();
            asideRunning++;
            Future<R> running;
            try {
                running = flush.alone(next.entry);
            } catch (RuntimeException e) {
                running = Future.failedFuture(e);
            }
            running.onComplete(done -> context.runOnContext(ignored -> {
                asideRunning--;
                asideRunningOf.remove(next.order);
                asideOf.computeIfPresent(next.order, (order, count) -> count == 1 ? null : count - 1);
                if (done.succeeded()) {
                    next.promise.complete(done.result());
                } else {
                    next.promise.fail(DatabaseFailure.of(done.cause()));
                }
                nextAside();
                flushIfIdle();
                settleDrains();
            }));
        }
    }

    private void settleDrains() {
        if (closed && !flushing && queue.isEmpty() && aside.isEmpty() && asideRunning == 0) {
            drains.forEach(Promise::tryComplete);
            drains.clear();
        }
    }
}
