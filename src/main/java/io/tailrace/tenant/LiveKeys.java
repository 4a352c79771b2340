package io.tailrace.tenant;

import io.tailrace.db.GroupCommit;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers for under a second which keys are live, so that a busy key costs a query or two a second and a revoked one is
 * refused in time.
 *
 * <p>An answer's age counts from when its read was asked for, so it is never older than it says. From {@link #RENEW} on
 * the next request starts another read and does not wait for it; past {@link #OLDEST} requests wait for one, all of them
 * for the same.
 *
 * <p>Bounds, whatever is presented: {@link #REMEMBERED} live keys and as many ids that are none, the least recently used
 * forgotten first; ids are read many at once, one query in flight for ids seen live and one for all others, so a flood of
 * invented ids neither multiplies queries nor delays keys in use. When its queue is full the read fails with {@code
 * OVERLOADED}.
 */
final class LiveKeys {
    /** No answer read longer ago than this decides. Under the promised second by what a read may take. */
    static final Duration OLDEST = Duration.ofMillis(800);
    /** From this age on an answer is read again, while it still decides. */
    static final Duration RENEW = Duration.ofMillis(600);
    /** For so long a failed read answers the next requests too, so that they do not hammer a database in trouble. */
    static final Duration FAILED_FOR = Duration.ofMillis(100);

    static final int REMEMBERED = 10_000;

    // Ids of 16 characters: bytes are no bound worth having, entries are.
    private static final GroupCommit.Limits LIMITS =
            new GroupCommit.Limits(500, Long.MAX_VALUE / 2, 5_000, Long.MAX_VALUE / 2, 4);

    /** One look at the table. */
    private record Read(long startedAt, Future<Optional<LiveKey>> result) {
        boolean youngerThan(Duration age, long now) {
            return now - startedAt < age.toNanos();
        }

        /** The age from which another read is due instead of this one. */
        Duration goodFor() {
            if (!result.isComplete()) {
                return OLDEST;
            }
            return result.failed() ? FAILED_FOR : RENEW;
        }
    }

    private static final class Entry {
        /** The latest read that succeeded. */
        private @Nullable Read answered;
        /** The latest read, whatever became of it. */
        private @Nullable Read latest;
    }

    private final LongSupplier nanoTime;
    private final GroupCommit<String, Optional<LiveKey>> seenLive;
    private final GroupCommit<String, Optional<LiveKey>> others;
    private final Map<String, Entry> live = leastRecentlyUsed();
    private final Map<String, Entry> notLive = leastRecentlyUsed();

    /**
     * @param read gives those of the ids that are live
     * @param nanoTime ages answers; monotonic, never a calendar
     */
    LiveKeys(Vertx vertx, Function<List<String>, Future<Map<String, LiveKey>>> read, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.seenLive = lane(vertx, read);
        this.others = lane(vertx, read);
    }

    /** The key if it is live; already completed when that is remembered, else on a context of this class's own. */
    synchronized Future<Optional<LiveKey>> find(String keyId) {
        long now = nanoTime.getAsLong();
        Entry entry = live.get(keyId);
        GroupCommit<String, Optional<LiveKey>> lane = entry == null ? others : seenLive;
        if (entry == null) {
            entry = notLive.computeIfAbsent(keyId, id -> new Entry());
        }
        Read answered = entry.answered;
        if (answered != null && answered.youngerThan(RENEW, now)) {
            return answered.result;
        }
        Read latest = entry.latest;
        if (latest == null || !latest.youngerThan(latest.goodFor(), now)) {
            latest = start(keyId, entry, lane, now);
        }
        return answered != null && answered.youngerThan(OLDEST, now) ? answered.result : latest.result;
    }

    /** Lets the next request read this key again. */
    synchronized void forget(String keyId) {
        live.remove(keyId);
        notLive.remove(keyId);
    }

    /** How many ids are remembered. */
    synchronized int remembered() {
        return live.size() + notLive.size();
    }

    private Read start(String keyId, Entry entry, GroupCommit<String, Optional<LiveKey>> lane, long now) {
        Promise<Optional<LiveKey>> promise = Promise.promise();
        Read read = new Read(now, promise.future());
        entry.latest = read;
        lane.submit(keyId).onComplete(done -> {
            settle(keyId, read, done);
            promise.handle(done);
        });
        return read;
    }

    private synchronized void settle(String keyId, Read read, AsyncResult<Optional<LiveKey>> done) {
        Entry entry = live.containsKey(keyId) ? live.get(keyId) : notLive.get(keyId);
        // Forgotten meanwhile, or overtaken by a younger read: what this one saw is not worth keeping.
        if (done.failed() || entry == null || !read.equals(entry.latest)) {
            return;
        }
        // `read` has not completed yet, and find() must not hand out an answer that is still to come.
        entry.answered = new Read(read.startedAt, Future.succeededFuture(done.result()));
        (done.result().isPresent() ? notLive : live).remove(keyId);
        (done.result().isPresent() ? live : notLive).put(keyId, entry);
    }

    private static GroupCommit<String, Optional<LiveKey>> lane(
            Vertx vertx, Function<List<String>, Future<Map<String, LiveKey>>> read) {
        GroupCommit.Flush<String, Optional<LiveKey>> flush = new GroupCommit.Flush<>() {
            @Override
            public Future<List<GroupCommit.Outcome<Optional<LiveKey>>>> together(List<String> keyIds) {
                return read.apply(keyIds).map(found -> keyIds.stream()
                        .<GroupCommit.Outcome<Optional<LiveKey>>>map(
                                id -> new GroupCommit.Outcome.Done<>(Optional.ofNullable(found.get(id))))
                        .toList());
            }

            @Override
            public Future<Optional<LiveKey>> alone(String keyId) {
                return read.apply(List.of(keyId)).map(found -> Optional.ofNullable(found.get(keyId)));
            }
        };
        return new GroupCommit<>(vertx, LIMITS, flush, String::length, id -> id);
    }

    private static Map<String, Entry> leastRecentlyUsed() {
        return new LinkedHashMap<>(256, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Entry> eldest) {
                return size() > REMEMBERED;
            }
        };
    }
}
