package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.outbox.EnqueueResult.Stored;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Who waits for whom while batches are enqueued, with transactions stopped half-way. */
class OutboxLocksIT {
    private static final String ADVISORY_LOCKS =
            "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'";

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
        db.execute("DROP TABLE IF EXISTS lock_figures; DROP FUNCTION IF EXISTS note_locks CASCADE");
    }

    private Future<EnqueueResult> submit(Batch batch) {
        return fixture.outbox.enqueue(DEFAULT_TENANT, batch);
    }

    @Test
    @DisplayName("OUT-2 an enqueue outside READ COMMITTED is refused: it would not see what it waited for")
    void isolation() {
        for (String level : new String[] {"REPEATABLE READ", "SERIALIZABLE"}) {
            try (RawTransaction caller = new RawTransaction(db)) {
                caller.rollback();
                caller.run("SET TRANSACTION ISOLATION LEVEL " + level);
                assertThatThrownBy(() -> caller.enqueue("b", "k")).hasMessageContaining("READ COMMITTED");
            }
        }
    }

    @Test
    @DisplayName(
            "OUT-6 a second enqueue of a batch waits for an uncommitted first at the batch's lock, then reuses its parts")
    void secondWaitsForFirst() {
        Future<EnqueueResult> second;
        try (RawTransaction first = new RawTransaction(db)) {
            first.enqueue("b", "k");
            second = submit(batch("b", part("k")));
            first.awaitWaiter();
            assertThat(second.isComplete()).isFalse();
            assertThat(db.number("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))
                    .isEqualTo(1);
            first.commit();
        }
        Stored stored = (Stored) await(second);
        assertThat(stored.anyInserted()).isFalse();
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-6 a second enqueue of a batch on other keys waits for the first, too, and meets its parts")
    void secondOnAnotherKeyWaits() {
        Future<EnqueueResult> second;
        try (RawTransaction first = new RawTransaction(db)) {
            first.enqueue("b", "k");
            second = submit(batch("b", part("other")));
            first.awaitWaiter();
            first.commit();
        }
        assertThat(await(second)).isInstanceOfSatisfying(EnqueueResult.Refused.class, refused -> {
            assertThat(refused.code()).isEqualTo("idempotency_conflict");
            assertThat(refused.pointer()).isEqualTo("/parts/0/ordering_key");
        });
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-6 when the first is rolled back, the second stores the batch")
    void firstRolledBack() {
        Future<EnqueueResult> second;
        try (RawTransaction first = new RawTransaction(db)) {
            first.enqueue("b", "k");
            second = submit(batch("b", part("k")));
            first.awaitWaiter();
            first.rollback();
        }
        assertThat(((Stored) await(second)).anyInserted()).isTrue();
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-6 other batches on other keys do not wait")
    void othersDoNotWait() {
        try (RawTransaction first = new RawTransaction(db)) {
            first.enqueue("b", "k");
            assertThat(fixture.enqueue("c", part("other")).anyInserted()).isTrue();
            assertThat(first.waiters()).isZero();
        }
    }

    @Test
    @DisplayName("OUT-6 one batch sent forty times at once over two instances is stored once")
    void manyAtOnce() {
        OutboxFixture another = new OutboxFixture(db);
        try {
            List<Future<EnqueueResult>> sent = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                Outbox outbox = i % 2 == 0 ? fixture.outbox : another.outbox;
                sent.add(outbox.enqueue(DEFAULT_TENANT, batch("b", part("k1"), part("k2"))));
            }
            List<PartId> ids = null;
            int inserted = 0;
            for (Future<EnqueueResult> one : sent) {
                Stored stored = (Stored) await(one);
                List<PartId> answered = stored.parts().stream()
                        .map(EnqueueResult.StoredPart::id)
                        .toList();
                ids = ids == null ? answered : ids;
                assertThat(answered).isEqualTo(ids);
                inserted += stored.anyInserted() ? 1 : 0;
            }
            assertThat(inserted).isEqualTo(1);
            assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(2);
        } finally {
            another.close();
        }
    }

    @Test
    @DisplayName(
            "OUT-7 a second batch on a key waits for an uncommitted first, so ids on the key become visible in order")
    void keyIsSerialized() {
        fixture.enqueue("makes the key", part("k"));
        fixture.deliver(fixture.claimOne());
        Future<EnqueueResult> second;
        try (RawTransaction first = new RawTransaction(db)) {
            first.enqueue("first", "k");
            second = submit(batch("second", part("k")));
            first.awaitWaiter();
            assertThat(second.isComplete()).isFalse();
            assertThat(fixture.claim(10)).isEmpty();
            first.commit();
        }
        Stored stored = (Stored) await(second);
        Claim.Item head = fixture.claimOne();
        assertThat(head.batchId()).isEqualTo("first");
        assertThat(head.id().id()).isLessThan(stored.parts().get(0).id().id());
    }

    @Test
    @DisplayName("OUT-7 a key that does not exist yet is serialized as well")
    void newKeyIsSerialized() {
        Future<EnqueueResult> second;
        try (RawTransaction first = new RawTransaction(db)) {
            first.enqueue("first", "k");
            second = submit(batch("second", part("k")));
            first.awaitWaiter();
            first.commit();
        }
        await(second);
        assertThat(fixture.claimOne().batchId()).isEqualTo("first");
    }

    @Test
    @DisplayName("OUT-7 a thousand enqueues in one transaction hold 256 advisory locks at most")
    void boundedLocksOfACaller() {
        try (RawTransaction caller = new RawTransaction(db)) {
            long most = 0;
            for (int i = 0; i < 1_000; i++) {
                caller.enqueue("batch-" + i, "key-" + i);
                most = Math.max(most, caller.number(ADVISORY_LOCKS));
            }
            System.out.println("OUT-7 advisory locks of 1,000 enqueues in one transaction: " + most);
            assertThat(most).isBetween(1L, 256L);
            // What the bound costs: from here on other batches may share a stripe; they wait, they do not fail.
            caller.commit();
        }
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isEqualTo(1_000);
    }

    @Test
    @DisplayName("OUT-7 the largest batch, 3,000 parts on 3,000 keys, holds one batch's advisory locks")
    void boundedLocksOfTheLargestBatch() {
        noteLocks();
        OutboxFixture.Builder[] parts =
                IntStream.range(0, 3_000).mapToObj(i -> part("key-" + i)).toArray(OutboxFixture.Builder[]::new);
        Stored stored = (Stored) await(submit(batch("large", parts)), Duration.ofSeconds(60));
        assertThat(stored.parts()).hasSize(3_000);
        printFigures("the largest batch");
        assertThat(db.number("SELECT max(advisory) FROM lock_figures")).isBetween(1L, 256L);
        assertThat(db.number("SELECT max(total) FROM lock_figures")).isLessThan(1_000);
    }

    @Test
    @DisplayName("OUT-7 the largest flush holds 256 advisory locks at most")
    void boundedLocksOfTheLargestFlush() {
        noteLocks();
        List<OutboxEnqueues.Entry> entries = IntStream.range(0, OutboxSettings.MOST_FLUSH_ENTRIES)
                .mapToObj(i -> new OutboxEnqueues.Entry(DEFAULT_TENANT, batch("b" + i, part("key-" + i))))
                .toList();
        assertThat(await(new OutboxEnqueues(db.database(), 7).together(entries)))
                .hasSize(entries.size());
        printFigures("the largest flush");
        assertThat(db.number("SELECT max(advisory) FROM lock_figures")).isBetween(1L, 256L);
        assertThat(db.number("SELECT max(total) FROM lock_figures")).isLessThan(1_000);
    }

    private void noteLocks() {
        db.execute("""
                CREATE TABLE lock_figures (advisory bigint, total bigint);
                CREATE FUNCTION note_locks() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO lock_figures SELECT count(*) FILTER (WHERE locktype = 'advisory'), count(*)
                      FROM pg_locks WHERE pid = pg_backend_pid();
                    RETURN NULL;
                END $$;
                CREATE TRIGGER note_locks AFTER INSERT ON telegram_outbox_inflight
                    FOR EACH STATEMENT EXECUTE FUNCTION note_locks()""");
    }

    private void printFigures(String what) {
        System.out.println("OUT-7 locks of " + what + ": "
                + db.query("SELECT max(advisory) AS advisory, max(total) AS total FROM lock_figures"));
    }
}
