package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.claimOf;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims beside somebody's transaction that keeps vacuum from removing what has gone. */
class OutboxHeldSnapshotIT {
    private static final int DEAD = 6_000;

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    /** Each reading is 5 ms after the last, so that every search counts as slow. */
    private final AtomicLong nanos = new AtomicLong();

    private OutboxFixture fixture;
    private RawTransaction old;
    private Claiming claiming;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        db.execute("VACUUM telegram_outbox_inflight");
        fixture = new OutboxFixture(db);
        claiming = new Claiming(
                db.database(),
                new OutboxMetrics(new SimpleMeterRegistry()),
                () -> nanos.addAndGet(Duration.ofMillis(5).toNanos()));
        // An open cursor keeps its snapshot.
        old = new RawTransaction(db).run("DECLARE held CURSOR FOR SELECT FROM telegram_outbox_inflight");
    }

    @AfterEach
    void close() {
        old.close();
        fixture.close();
        db.clock().reset();
    }

    @ParameterizedTest(name = "{displayName} [of one bot: {0}]")
    @ValueSource(booleans = {false, true})
    @DisplayName("OUT-14 dead candidates that an old snapshot holds are walked by a look, not by every claim")
    void walkedOnce(boolean ofOneBot) {
        @Nullable List<String> bots = ofOneBot ? List.of("7") : null;
        bury(DEAD, 0);
        fixture.enqueue("live", part("live"));

        assertThat(walked(bots, List.of(ClaimFloors.Range.whole(ofOneBot ? "7" : null))))
                .as("from the lowest id")
                .isGreaterThanOrEqualTo(DEAD);
        List<ClaimFloors.Range> ranges = slowClaimsMakeAFloor(bots);

        assertThat(walked(bots, ranges)).as("from the floor").isLessThan(ClaimFloors.SLACK + 200);
    }

    @Test
    @DisplayName("OUT-14 so they are where another priority died, and where none of it is left")
    void everyPriority() {
        fixture.enqueue("seen", part("seen").priority(9));
        claim().forEach(fixture::deliver);
        bury(DEAD, 9);
        bury(DEAD, 0);
        fixture.enqueue("live", part("live").priority(-3));
        slowClaimsMakeAFloor(null);

        List<ClaimFloors.Range> ranges = claiming.floors().ranges(DEFAULT_TENANT, null);

        assertThat(walked(null, ranges)).isLessThan(2 * ClaimFloors.SLACK + 200);
        fixture.enqueue("urgent", part("urgent").priority(9));
        fixture.enqueue("between", part("between").priority(4));
        assertThat(batches(claim())).containsExactly("urgent", "between");
    }

    @Test
    @DisplayName("OUT-14 a part that becomes due below the floor is leased by the very claim that moves it along")
    void dueBelowTheFloor() {
        fixture.enqueue("later", part("later").availableAt(db.clock().now().plusSeconds(60)));
        bury(DEAD, 0);
        fixture.enqueue("live", part("live"));
        slowClaimsMakeAFloor(null);

        db.clock().advance(Duration.ofSeconds(61));

        assertThat(batches(claim())).containsExactly("later", "live");
    }

    @Test
    @DisplayName("OUT-14 what becomes a candidate below the floor by another's hand is found by the next look")
    void foundByTheNextLook() {
        fixture.enqueue("asleep", part("asleep"));
        db.execute("UPDATE telegram_outbox_inflight SET turn = 'q'");
        bury(DEAD, 0);
        fixture.enqueue("live", part("live"));
        slowClaimsMakeAFloor(null);
        db.execute("UPDATE telegram_outbox_inflight SET turn = 'c' WHERE turn = 'q'");

        Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> batches(claim())
                .contains("asleep"));
    }

    @Test
    @DisplayName("OUT-14 when the old snapshot has gone and vacuum has been, there is no floor any more")
    void overAgain() {
        bury(DEAD, 0);
        fixture.enqueue("live", part("live"));
        slowClaimsMakeAFloor(null);

        old.run("COMMIT");
        db.execute("VACUUM telegram_outbox_inflight");

        Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> {
            claim();
            return !ClaimFloors.spare(claiming.floors().ranges(DEFAULT_TENANT, null));
        });
    }

    /** Candidates of keys of their own that go again while the old snapshot still sees them. */
    private void bury(int parts, int priority) {
        for (int from = 0; from < parts; from += 3_000) {
            int first = from;
            fixture.enqueue(
                    "dead-" + priority + "-" + from,
                    IntStream.range(0, Math.min(3_000, parts - from))
                            .mapToObj(n ->
                                    part("dead-" + priority + "-" + (first + n)).priority(priority))
                            .toArray(OutboxFixture.Builder[]::new));
        }
        db.execute("UPDATE telegram_outbox_inflight SET turn = 'c' WHERE turn = 'q' AND priority = " + priority
                + " AND id IN (SELECT id FROM telegram_outbox WHERE batch_id LIKE 'dead-%')");
        db.execute(
                "DELETE FROM telegram_outbox_inflight WHERE id IN (SELECT id FROM telegram_outbox WHERE batch_id LIKE 'dead-%')");
    }

    private List<ClaimFloors.Range> slowClaimsMakeAFloor(@Nullable List<String> bots) {
        Awaitility.await().atMost(TestDatabase.PATIENCE).until(() -> {
            nanos.addAndGet(ClaimFloors.LOOKS_APART_WITHOUT_FLOOR_NANOS);
            claimAndGiveBack(bots);
            return ClaimFloors.spare(claiming.floors().ranges(DEFAULT_TENANT, bots));
        });
        return claiming.floors().ranges(DEFAULT_TENANT, bots);
    }

    private void claimAndGiveBack(@Nullable List<String> bots) {
        List<Claim.Item> items = await(
                claiming.claim(DEFAULT_TENANT, bots == null ? claimOf(1) : claimOf(1, bots.toArray(String[]::new))));
        items.forEach(item -> fixture.settle(new Settlement.Release(OutboxFixture.lease(item))));
    }

    private List<Claim.Item> claim() {
        return await(claiming.claim(DEFAULT_TENANT, claimOf(2)));
    }

    private static List<String> batches(List<Claim.Item> items) {
        return items.stream().map(Claim.Item::batchId).toList();
    }

    /** Index entries that a search reads. */
    private long walked(@Nullable List<String> bots, List<ClaimFloors.Range> ranges) {
        return await(db.database().transaction(connection -> read(connection)
                .compose(before -> CandidateStore.lock(connection, DEFAULT_TENANT, bots != null, ranges, 100, List.of())
                        .compose(found -> read(connection).map(after -> after - before)))));
    }

    private static Future<Long> read(SqlConnection connection) {
        return connection
                .query("SELECT sum(pg_stat_get_xact_tuples_returned(indexrelid))::bigint FROM pg_index"
                        + " WHERE indrelid = 'telegram_outbox_inflight'::regclass")
                .execute()
                .map(rows -> rows.iterator().next().getLong(0));
    }
}
