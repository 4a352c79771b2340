package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.db.Database;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

class OutboxLongPollIT {
    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        fixture = new OutboxFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
        db.clock().reset();
    }

    private Future<List<Claim.Item>> waiting() {
        return waiting(fixture.outbox, LONG);
    }

    private static Future<List<Claim.Item>> waiting(Outbox outbox, Duration waitFor) {
        return outbox.claim(DEFAULT_TENANT, new Claim("sender-1", null, 1, null, Claim.DEFAULT_LEASE, waitFor));
    }

    private static String batchOf(Future<List<Claim.Item>> claimed) {
        List<Claim.Item> items = await(claimed);
        assertThat(items).hasSize(1);
        return items.get(0).batchId();
    }

    @Test
    @DisplayName("OUT-15 a waiting claim is woken by an enqueue")
    void wokenByEnqueue() {
        Future<List<Claim.Item>> claimed = waiting();
        fixture.enqueue("b", part("k"));
        assertThat(batchOf(claimed)).isEqualTo("b");
    }

    @Test
    @DisplayName("OUT-15 a waiting claim is woken by a settlement that frees a key, and by one that hands a part back")
    void wokenBySettlement() {
        fixture.enqueue("b1", part("k"));
        fixture.enqueue("b2", part("k"));
        Claim.Item first = fixture.claimOne();
        Future<List<Claim.Item>> claimed = waiting();
        fixture.settle(new Settlement.Release(OutboxFixture.lease(first)));
        assertThat(batchOf(claimed)).isEqualTo("b1");
        claimed = waiting();
        Lease second = new Lease(first.id(), first.leaseToken() + 1);
        await(fixture.outbox.start(DEFAULT_TENANT, List.of(second)));
        fixture.settle(new Settlement.Delivered(second, List.of(), null, null, 200));
        assertThat(batchOf(claimed)).isEqualTo("b2");
    }

    @Test
    @DisplayName("OUT-15 a waiting claim is woken by available_at, of a scheduled part and of one in retry_wait")
    void wokenByTime() {
        fixture.enqueue("b", part("k").availableAt(db.clock().now().plusMillis(400)));
        Claim.Item first = await(waiting()).get(0);
        fixture.settle(OutboxFixture.retry(first, Duration.ofMillis(400)));
        assertThat(batchOf(waiting())).isEqualTo("b");
    }

    @Test
    @DisplayName("OUT-15 a waiting claim is woken by the rescue of a lapsed lease")
    void wokenByRescue() {
        fixture.enqueue("b", part("k"));
        fixture.claimOne();
        Future<List<Claim.Item>> claimed = waiting();
        db.clock().advance(Duration.ofSeconds(91));
        fixture.run("outbox-rescue");
        assertThat(batchOf(claimed)).isEqualTo("b");
    }

    @Test
    @DisplayName("OUT-15 a claim that waits on one instance is woken by an enqueue on another")
    void wokenByAnotherInstance() {
        Vertx vertx = Vertx.vertx();
        Database database = Database.open(vertx, db.config());
        Outbox another = new Outbox(vertx, database, OutboxSettings.DEFAULT, new SimpleMeterRegistry());
        try {
            another.start();
            Future<List<Claim.Item>> claimed = waiting(another, LONG);
            fixture.enqueue("b", part("k"));
            assertThat(batchOf(claimed)).isEqualTo("b");
        } finally {
            await(another.stop());
            await(database.close());
            await(vertx.close());
        }
    }

    @Test
    @DisplayName("OUT-15 other instances are told by NOTIFY, debounced, and not inside the enqueue's transaction")
    void notifies() throws Exception {
        try (Connection connection = db.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("LISTEN " + Outbox.WORK_CHANNEL);
            List<Future<EnqueueResult>> sent = IntStream.range(0, 100)
                    .mapToObj(i -> fixture.outbox.enqueue(DEFAULT_TENANT, batch("b" + i, part("k" + i))))
                    .toList();
            sent.forEach(TestDatabase::await);
            List<PGNotification> heard = new ArrayList<>();
            PGNotification[] some = connection.unwrap(PGConnection.class).getNotifications(5_000);
            while (some.length > 0) {
                heard.addAll(List.of(some));
                some = connection.unwrap(PGConnection.class).getNotifications(300);
            }
            assertThat(heard).isNotEmpty().hasSizeLessThan(20);
            assertThat(heard).extracting(PGNotification::getParameter).containsOnly(DEFAULT_TENANT.toString());
            // A caller's own transaction sends nothing when it commits: that would take the server-wide lock in it.
            try (RawTransaction caller = new RawTransaction(db)) {
                caller.enqueue("sql", "k");
                caller.commit();
            }
            assertThat(connection.unwrap(PGConnection.class).getNotifications(300))
                    .isEmpty();
        }
    }

    @Test
    @DisplayName("OUT-15 what a SQL caller enqueued, without a nudge, is found by polling")
    void pollingIsTheTruth() {
        Future<List<Claim.Item>> claimed = waiting();
        try (RawTransaction caller = new RawTransaction(db)) {
            caller.enqueue("sql", "k");
            caller.commit();
        }
        assertThat(batchOf(claimed)).isEqualTo("sql");
    }

    @Test
    @DisplayName("OUT-15 a claim that nothing comes for is answered with nothing after its time")
    void timesOut() {
        long start = System.nanoTime();
        assertThat(await(waiting(fixture.outbox, Duration.ofMillis(300)))).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(290));
    }

    @Test
    @DisplayName("OUT-15 of many waiting claims one gets the one part, and each tenant is woken for its own")
    void oneOfMany() {
        List<Future<List<Claim.Item>>> claims = IntStream.range(0, 30)
                .mapToObj(i -> waiting(fixture.outbox, LONG))
                .toList();
        Future<List<Claim.Item>> other = fixture.outbox.claim(
                UUID.randomUUID(), new Claim("sender-2", null, 1, null, Claim.DEFAULT_LEASE, LONG));
        fixture.enqueue("b", part("k"));
        await(Future.any(claims));
        assertThat(claims.stream().filter(Future::isComplete)).hasSize(1);
        assertThat(other.isComplete()).isFalse();
        await(fixture.outbox.endWaits());
        claims.forEach(TestDatabase::await);
        assertThat(await(other)).isEmpty();
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_attempts")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-15 nothing is leased for a caller who has gone away")
    void nothingForNobody() {
        AtomicBoolean there = new AtomicBoolean(true);
        Future<List<Claim.Item>> claimed = fixture.outbox.claim(
                DEFAULT_TENANT, new Claim("gone", null, 1, null, Claim.DEFAULT_LEASE, LONG), there::get);
        there.set(false);
        fixture.enqueue("b", part("k"));
        assertThat(await(claimed)).isEmpty();
        assertThat(fixture.claimOne().attempt()).isEqualTo(1);
    }
}
