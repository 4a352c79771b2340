package io.tailrace.db;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.pubsub.PgSubscriber;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * "There is something new about these", between instances: by NOTIFY, outside the transactions that made it and at most every
 * {@link #DEBOUNCE}, many ids in one, because NOTIFY takes a lock of the whole server at commit. Nothing may depend on one
 * arriving. Thread-safe.
 *
 * @see <a href="https://www.postgresql.org/docs/17/sql-notify.html">NOTIFY</a>
 */
public final class Signals {
    public static final Duration DEBOUNCE = Duration.ofMillis(50);
    /** In one payload, which PostgreSQL bounds at 8,000 bytes. */
    static final int IDS_A_PAYLOAD = 200;
    /** More at once are told as "any of them". */
    static final int MOST_PENDING = 2_000;

    static final String ANY = "*";
    private static final String NOTIFY =
            "SELECT count(pg_notify($1::text, p.payload)) FROM unnest($2::text[]) AS p(payload)";
    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);
    private static final long RECONNECT_MILLIS = 1_000;

    private final Vertx vertx;
    private final Database database;
    private final String channel;
    private final Consumer<UUID> nudge;
    private final Runnable nudgeAll;
    private final PgSubscriber subscriber;
    private final Set<UUID> pending = new HashSet<>();
    private boolean many;
    private boolean armed;
    private boolean closed;

    /**
     * @param channel of PostgreSQL, a plain identifier; also names the connection that listens
     * @param nudge told of each id
     * @param nudgeAll told when it may have been any, also those that nobody was told of in time
     */
    public Signals(Vertx vertx, Database database, String channel, Consumer<UUID> nudge, Runnable nudgeAll) {
        this.vertx = vertx;
        this.database = database;
        this.channel = channel;
        this.nudge = nudge;
        this.nudgeAll = nudgeAll;
        this.subscriber = PgSubscriber.subscriber(vertx, database.ownConnection(channel));
        subscriber.reconnectPolicy(retries -> RECONNECT_MILLIS);
        subscriber
                .channel(channel)
                // Notifications in the gap are lost, so a new subscription means "look now".
                .subscribeHandler(subscribed -> nudgeAll.run())
                .handler(this::received);
    }

    /** Listens from now on; a database that is down is tried again until it is there. */
    public void start() {
        subscriber.connect().onFailure(cause -> {
            LOG.info("not listening to {} yet: {}", channel, cause.toString());
            if (!isClosed()) {
                vertx.setTimer(RECONNECT_MILLIS, fired -> start());
            }
        });
    }

    private void received(String payload) {
        if (payload.equals(ANY)) {
            nudgeAll.run();
            return;
        }
        try {
            for (String id : payload.split(",", -1)) {
                nudge.accept(UUID.fromString(id));
            }
        } catch (IllegalArgumentException e) {
            nudgeAll.run();
        }
    }

    /** Tells the other instances, soon. */
    public synchronized void send(UUID id) {
        if (pending.size() < MOST_PENDING) {
            pending.add(id);
        } else {
            many |= !pending.contains(id);
        }
        if (!armed && !closed) {
            armed = true;
            vertx.setTimer(DEBOUNCE.toMillis(), fired -> flush());
        }
    }

    private void flush() {
        List<String> payloads;
        synchronized (this) {
            armed = false;
            payloads = many ? List.of(ANY) : payloads(pending);
            many = false;
            pending.clear();
            if (closed) {
                return;
            }
        }
        database.service()
                .preparedQuery(NOTIFY)
                .execute(Tuple.of(channel).addArrayOfString(payloads.toArray(String[]::new)))
                .onFailure(cause -> LOG.debug("could not notify {}: {}", channel, cause.toString()));
    }

    static List<String> payloads(Set<UUID> ids) {
        List<String> payloads = new ArrayList<>();
        StringBuilder payload = new StringBuilder();
        int inIt = 0;
        for (UUID id : ids) {
            if (inIt == IDS_A_PAYLOAD) {
                payloads.add(payload.toString());
                payload.setLength(0);
                inIt = 0;
            }
            payload.append(inIt == 0 ? "" : ",").append(id);
            inIt++;
        }
        if (inIt > 0) {
            payloads.add(payload.toString());
        }
        return payloads;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    public Future<Void> close() {
        synchronized (this) {
            closed = true;
        }
        return subscriber.close();
    }
}
