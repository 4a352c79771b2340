package io.tailrace.activity;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.db.Signals;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who follows which conversation on this instance. Nudges come from its own appends at once and from other instances by NOTIFY,
 * and may be lost; the truth is asked for every {@link #POLL}: one statement for all the conversations that are followed.
 *
 * <p>A seq is allocated under its conversation's row lock, in the transaction that stores the activity. So whoever reads
 * {@code last_seq} and then the log finds everything up to it, and nothing appears later below what was seen.
 */
public final class Followers implements LiveConversations {
    /** "There is more in this conversation". */
    static final String CHANNEL = "tailrace_activities";

    static final Duration POLL = Duration.ofSeconds(1);
    /** Followers on one instance; each may hold a connection of a client. */
    public static final int MOST = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(Followers.class);
    private static final int CONVERSATIONS_A_LOOK = 500;

    private final Vertx vertx;
    private final Database database;
    private final int most;
    private final Signals signals;
    private final Map<UUID, Set<Follower>> followers = new ConcurrentHashMap<>();
    private final AtomicInteger following = new AtomicInteger();
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean ended;
    private volatile boolean stopped;

    /** @param most followers on this instance; {@link #MOST} unless a test wants fewer */
    public Followers(Vertx vertx, Database database, MeterRegistry meters, int most) {
        this.vertx = vertx;
        this.database = database;
        this.most = most;
        this.signals = new Signals(vertx, database, CHANNEL, this::nudge, this::nudgeAll);
        Gauge.builder("tailrace.activities.followers", following, AtomicInteger::get)
                .description("streams of conversations that are open")
                .register(meters);
    }

    /** Listens and looks from now on; a database that is down is tried again until it is there. */
    public void start() {
        if (started.compareAndSet(false, true)) {
            signals.start();
            armLook();
        }
    }

    /** Told of every activity that was committed here. */
    public void appended(Activity activity) {
        Set<Follower> of = followers.get(activity.conversationId());
        if (of != null) {
            of.forEach(follower -> follower.nudge(activity.seq()));
        }
        signals.send(activity.conversationId());
    }

    @Override
    public Optional<Runnable> follow(UUID conversation, Follower follower) {
        if (following.incrementAndGet() > most || ended) {
            following.decrementAndGet();
            return Optional.empty();
        }
        followers.compute(conversation, (key, present) -> {
            Set<Follower> all = present == null ? ConcurrentHashMap.newKeySet() : present;
            all.add(follower);
            return all;
        });
        if (ended) {
            follower.end();
        }
        AtomicBoolean once = new AtomicBoolean();
        return Optional.of(() -> {
            if (once.compareAndSet(false, true)) {
                following.decrementAndGet();
                followers.computeIfPresent(conversation, (key, present) -> {
                    present.remove(follower);
                    return present.isEmpty() ? null : present;
                });
            }
        });
    }

    /** Ends everybody who follows; nobody new comes. */
    public Future<Void> end() {
        ended = true;
        forEach(Follower::end);
        return Future.succeededFuture();
    }

    /** Neither listens nor looks any more. */
    public Future<Void> stop() {
        stopped = true;
        return end().compose(all -> started.get() ? signals.close() : Future.succeededFuture());
    }

    private void nudge(UUID conversation) {
        Set<Follower> of = followers.get(conversation);
        if (of != null) {
            of.forEach(follower -> follower.nudge(0));
        }
    }

    private void nudgeAll() {
        forEach(follower -> follower.nudge(0));
    }

    private void forEach(Consumer<Follower> each) {
        followers.values().forEach(of -> of.forEach(each));
    }

    private void armLook() {
        if (!stopped) {
            vertx.setTimer(POLL.toMillis(), fired -> look().onComplete(looked -> armLook()));
        }
    }

    /** Compares what is stored with what was seen. */
    Future<Void> look() {
        List<UUID> conversations = new ArrayList<>(followers.keySet());
        Future<Void> done = Future.succeededFuture();
        for (int from = 0; from < conversations.size(); from += CONVERSATIONS_A_LOOK) {
            List<UUID> some = conversations.subList(from, Math.min(conversations.size(), from + CONVERSATIONS_A_LOOK));
            done = done.compose(before -> FollowStore.lastSeqs(database.service(), some))
                    .onSuccess(found -> some.forEach(one -> compare(one, found.get(one))))
                    .mapEmpty();
        }
        return done.recover(cause -> {
            LOG.debug("could not look after the conversations that are followed: {}", cause.toString());
            return Future.succeededFuture();
        });
    }

    private void compare(UUID conversation, @Nullable Long lastSeq) {
        Set<Follower> of = followers.getOrDefault(conversation, Set.of());
        for (Follower follower : of) {
            if (lastSeq == null) {
                follower.gone();
            } else if (lastSeq > follower.seen()) {
                follower.nudge(lastSeq);
            }
        }
    }
}
