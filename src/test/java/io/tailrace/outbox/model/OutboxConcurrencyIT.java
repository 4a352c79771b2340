package io.tailrace.outbox.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.outbox.Outbox;
import io.tailrace.outbox.OutboxSettings;
import io.tailrace.testkit.TestDatabase;
import io.tailrace.worker.PeriodicWorker;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two instances, many clients, short leases: afterwards the ledger and the database must tell the same story. */
class OutboxConcurrencyIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private static final int KEYS = 6;
    private static final int PRODUCERS = 3;
    private static final int SENDERS = 6;
    private static final long BACKLOG = 200;
    private static final long SEED = Long.getLong("model.seed", 20_261_130);
    private static final long SECONDS = Long.getLong("model.seconds", 12);

    /** Leases of one key that overlapped; a part resolved late ends its attempt late. */
    private static final String OVERLAPS = """
            SELECT count(*) FROM (
                SELECT a.claimed_at, lag(a.finished_at) OVER (PARTITION BY o.ordering_key ORDER BY a.claimed_at, a.finished_at) AS before
                  FROM telegram_outbox_attempts a JOIN telegram_outbox o ON o.id = a.outbox_id
                 WHERE o.batch_id <> ALL (?)) x
             WHERE x.before > x.claimed_at""";

    /** Claims of a part while a lower one of its key had not ended. */
    private static final String OUT_OF_ORDER = """
            SELECT count(*) FROM telegram_outbox_attempts a
              JOIN telegram_outbox o ON o.id = a.outbox_id
              JOIN telegram_outbox q ON q.ordering_key = o.ordering_key AND q.id < o.id
             WHERE q.updated_at > a.claimed_at AND q.batch_id <> ALL (?)""";

    /** Claims of a part while a lower one of its batch was not delivered. */
    private static final String BEFORE_ITS_BATCH = """
            SELECT count(*) FROM telegram_outbox_attempts a
              JOIN telegram_outbox o ON o.id = a.outbox_id
              JOIN telegram_outbox q ON q.batch_id = o.batch_id AND q.part_index < o.part_index
             WHERE coalesce(q.confirmed_at > a.claimed_at, true) AND q.batch_id <> ALL (?)""";

    private final List<Outbox> outboxes = new ArrayList<>();
    private final Vertx otherVertx = Vertx.vertx();
    private final Database otherDatabase = Database.open(otherVertx, db.config());
    /** Parts in flight as of the last rescue. */
    private final AtomicLong backlog = new AtomicLong();

    private final Clients clients = new Clients(KEYS);

    @BeforeEach
    void open() {
        outboxes.add(new Outbox(db.vertx(), db.database(), OutboxSettings.DEFAULT, new SimpleMeterRegistry()));
        outboxes.add(new Outbox(otherVertx, otherDatabase, OutboxSettings.DEFAULT, new SimpleMeterRegistry()));
    }

    @AfterEach
    void close() {
        outboxes.forEach(outbox -> TestDatabase.await(outbox.stop()));
        TestDatabase.await(otherDatabase.close());
        TestDatabase.await(otherVertx.close());
    }

    @Test
    @DisplayName(
            "OUT-12 two instances, nine clients, lapses and late words: no part lost, in two hands, or out of order")
    void storm() throws Exception {
        ScheduledExecutorService upkeep = Executors.newSingleThreadScheduledExecutor();
        upkeep.scheduleWithFixedDelay(this::rescue, 50, 50, TimeUnit.MILLISECONDS);
        ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS + SENDERS);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < PRODUCERS + SENDERS; i++) {
            Outbox outbox = outboxes.get(i % 2);
            boolean producer = i < PRODUCERS;
            running.add(threads.submit(() -> until(end, new Random(SEED + running.size()), random -> {
                if (!producer) {
                    clients.send(outbox, random);
                } else if (backlog.get() < BACKLOG) {
                    clients.produce(outbox, random);
                } else {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                }
            })));
        }
        threads.shutdown();
        for (Future<?> thread : running) {
            // Throws what the client met: a deadlock, a time-out, a second delivery.
            thread.get();
        }
        upkeep.shutdown();
        assertThat(upkeep.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        drain();
        check();
    }

    private static void until(long end, Random random, Consumer<Random> step) {
        while (System.nanoTime() - end < 0) {
            step.accept(random);
        }
    }

    private void rescue() {
        backlog.set(inFlight());
        for (Outbox outbox : outboxes) {
            outbox.workers().stream()
                    .filter(worker -> !worker.name().equals("outbox-sample"))
                    .map(PeriodicWorker::runOnce)
                    .forEach(TestDatabase::await);
        }
    }

    private long inFlight() {
        return db.number("SELECT count(*) FROM telegram_outbox_inflight");
    }

    private void drain() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (inFlight() > 0) {
            assertThat(System.nanoTime()).as("nothing is wedged").isLessThan(end);
            rescue();
            clients.deliver(outboxes.get(0));
        }
    }

    private void check() {
        Clients.Ledger ledger = clients.ledger;
        Map<String, String> stored = new HashMap<>();
        Map<String, String> states = new HashMap<>();
        db.query("SELECT id, batch_id || '/' || part_index AS name, state FROM telegram_outbox")
                .forEach(row -> {
                    stored.put(String.valueOf(row.get("id")), String.valueOf(row.get("name")));
                    states.put(String.valueOf(row.get("id")), String.valueOf(row.get("state")));
                });
        assertThat(stored).isEqualTo(ledger.acknowledged);
        assertThat(stored.values()).doesNotHaveDuplicates();
        ledger.ends.forEach(
                (id, state) -> assertThat(states.get(id)).as("%s", id).isEqualTo(state.wire()));
        String[] late = ledger.late.toArray(String[]::new);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_attempts WHERE finished_at IS NULL"))
                .isZero();
        assertThat(db.number(OVERLAPS, (Object) late)).as("two leases on a key").isZero();
        assertThat(db.number(OUT_OF_ORDER, (Object) late)).as("out of order").isZero();
        assertThat(db.number(BEFORE_ITS_BATCH, (Object) late))
                .as("before its batch")
                .isZero();
        System.out.printf(
                "%d parts stored, %d leases, %d refused words, %d batches with late evidence, seed %d%n",
                stored.size(), ledger.claimed.get(), ledger.lost.get(), late.length, SEED);
        assertThat(ledger.lost.get()).as("lapses happened").isPositive();
    }
}
