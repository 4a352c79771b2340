package io.tailrace.outbox;

import io.tailrace.db.Database;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.pubsub.PgSubscriber;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * "There may be work": between instances by NOTIFY, sent outside the transaction that made the work and at most every
 * {@link #DEBOUNCE}, because NOTIFY takes a lock of the whole server at commit. Nothing depends on one arriving.
 */
final class WorkSignals {
    static final String CHANNEL = "tailrace_outbox_work";
    static final Duration DEBOUNCE = Duration.ofMillis(50);
    private static final String NOTIFY = "SELECT pg_notify($1::text, $2::text)";
    private static final Logger LOG = LoggerFactory.getLogger(WorkSignals.class);
    private static final long RECONNECT_MILLIS = 1_000;

    private final Vertx vertx;
    private final Database database;
    private final Consumer<UUID> nudge;
    private final Runnable nudgeAll;
    private final PgSubscriber subscriber;
    private final Set<UUID> pending = new HashSet<>();
    private boolean armed;
    private boolean closed;

    WorkSignals(Vertx vertx, Database database, Consumer<UUID> nudge, Runnable nudgeAll) {
        this.vertx = vertx;
        this.database = database;
        this.nudge = nudge;
        this.nudgeAll = nudgeAll;
        this.subscriber = PgSubscriber.subscriber(vertx, database.ownConnection("tailrace-listen"));
        subscriber.reconnectPolicy(retries -> RECONNECT_MILLIS);
        subscriber
                .channel(CHANNEL)
                // Notifications in the gap are lost, so a new subscription means "look now".
                .subscribeHandler(subscribed -> nudgeAll.run())
                .handler(this::received);
    }

    /** Listens from now on; a database that is down is tried again until it is there. */
    void start() {
        subscriber.connect().onFailure(cause -> {
            LOG.info("not listening for work of other instances yet: {}", cause.toString());
            if (!isClosed()) {
                vertx.setTimer(RECONNECT_MILLIS, fired -> start());
            }
        });
    }

    private void received(String payload) {
        try {
            nudge.accept(UUID.fromString(payload));
        } catch (IllegalArgumentException e) {
            nudgeAll.run();
        }
    }

    /** Tells the other instances, soon. */
    synchronized void send(UUID tenant) {
        pending.add(tenant);
        if (!armed && !closed) {
            armed = true;
            vertx.setTimer(DEBOUNCE.toMillis(), fired -> flush());
        }
    }

    private void flush() {
        Set<UUID> tenants;
        synchronized (this) {
            armed = false;
            tenants = Set.copyOf(pending);
            pending.clear();
            if (closed) {
                return;
            }
        }
        for (UUID tenant : tenants) {
            database.service()
                    .preparedQuery(NOTIFY)
                    .execute(Tuple.of(CHANNEL, tenant.toString()))
                    .onFailure(cause -> LOG.debug("could not tell other instances of work: {}", cause.toString()));
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    Future<Void> close() {
        synchronized (this) {
            closed = true;
        }
        return subscriber.close();
    }
}
