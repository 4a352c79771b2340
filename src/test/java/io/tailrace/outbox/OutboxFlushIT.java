package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.db.DatabaseFailure;
import io.tailrace.outbox.EnqueueResult.Stored;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Enqueues that are committed together: what one of them may do to the others, which is nothing. */
class OutboxFlushIT {
    /** More than run beside a lane at once. */
    private static final int STUCK = 8;
    /** Far less than lock_timeout, which is 10 s. */
    private static final Duration SOON = Duration.ofSeconds(4);

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        OutboxSettings usual = OutboxSettings.DEFAULT;
        fixture = new OutboxFixture(
                db, new OutboxSettings(usual.horizonDays(), 0, true, 1, usual.limits(), usual.retryPolicy()));
    }

    @AfterEach
    void close() {
        fixture.close();
        db.execute("DROP FUNCTION IF EXISTS break_flush CASCADE; DROP SEQUENCE IF EXISTS breaks");
    }

    private Future<EnqueueResult> submit(Batch batch) {
        return fixture.outbox.enqueue(DEFAULT_TENANT, batch);
    }

    private List<Future<EnqueueResult>> innocents(int count) {
        List<Future<EnqueueResult>> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(submit(batch("innocent-" + i, part("innocent-" + i))));
        }
        return all;
    }

    @Test
    @DisplayName("OUT-10 enqueues that arrive together are committed together")
    void together() {
        List<Future<EnqueueResult>> all = innocents(60);
        all.forEach(TestDatabase::await);
        long transactions = db.number("SELECT count(DISTINCT xmin::text) FROM telegram_outbox_inflight");
        assertThat(db.number("SELECT count(*) FROM telegram_outbox_inflight")).isEqualTo(60);
        assertThat(transactions).isLessThan(20);
    }

    @Test
    @DisplayName("OUT-10 a batch that PostgreSQL cannot store fails alone")
    void badBatchFailsAlone() {
        Future<EnqueueResult> first = submit(batch("first", part("first")));
        Future<EnqueueResult> bad = submit(batch("bad", part("bad").payload("{\"text\":\"\\u0000\"}")));
        List<Future<EnqueueResult>> others = innocents(20);
        await(first);
        assertThat(awaitFailure(bad))
                .isInstanceOfSatisfying(DatabaseFailure.class, failure -> assertThat(failure.kind())
                        .isEqualTo(DatabaseFailure.Kind.BAD_VALUE));
        for (Future<EnqueueResult> other : others) {
            assertThat(((Stored) await(other)).anyInserted()).isTrue();
        }
        assertThat(db.number("SELECT count(*) FROM telegram_outbox WHERE batch_id = 'bad'"))
                .isZero();
    }

    @Test
    @DisplayName("OUT-10 a batch that is refused leaves the others of its flush as they are")
    void refusedBatchFailsAlone() {
        fixture.enqueue("known", part("k"));
        submit(batch("busy", part("busy")));
        Future<EnqueueResult> refused = submit(batch("known", part("k").priority(1)));
        List<Future<EnqueueResult>> others = innocents(5);
        assertThat(await(refused)).isInstanceOf(EnqueueResult.Refused.class);
        for (Future<EnqueueResult> other : others) {
            assertThat(((Stored) await(other)).anyInserted()).isTrue();
        }
    }

    @Test
    @DisplayName("OUT-10 batches that wait for a key's lock are set aside and the others are committed meanwhile")
    void waitForKeyStallsNobody() {
        fixture.enqueue("makes the key", part("k"));
        stallsNobody(holder -> holder.enqueue("holder", "k"), i -> batch("stuck-" + i, part("k")));
    }

    @Test
    @DisplayName("OUT-10 batches on a key that somebody is just making stall nobody either")
    void waitForNewKeyStallsNobody() {
        stallsNobody(
                holder -> {
                    for (int i = 0; i < STUCK; i++) {
                        holder.enqueue("holder-" + i, "new" + i);
                    }
                },
                i -> batch("stuck-" + i, part("new" + i)));
    }

    @Test
    @DisplayName("OUT-10 batches behind a part that is just being ended stall nobody either")
    void waitForTailStallsNobody() {
        for (int i = 0; i < STUCK; i++) {
            fixture.enqueue("tail-" + i, part("k" + i));
        }
        stallsNobody(
                holder -> holder.run("SELECT FROM telegram_outbox_inflight FOR UPDATE"),
                i -> batch("stuck-" + i, part("k" + i)));
    }

    @Test
    @DisplayName("OUT-10 replays of batches whose parts are just being ended stall nobody either")
    void waitForReplayStallsNobody() {
        for (int i = 0; i < STUCK; i++) {
            fixture.enqueue("stuck-" + i, part("k" + i).availableAt(OutboxFixture.SOME_DAY));
        }
        List<Future<EnqueueResult>> stuck = stallsNobody(
                holder -> holder.run("SELECT FROM telegram_outbox_inflight FOR UPDATE"),
                i -> batch("stuck-" + i, part("k" + i).availableAt(OutboxFixture.SOME_DAY)));
        assertThat(stuck).allSatisfy(one -> assertThat(((Stored) one.result()).anyInserted())
                .isFalse());
    }

    private interface Hold {
        void by(RawTransaction holder);
    }

    private List<Future<EnqueueResult>> stallsNobody(Hold hold, IntFunction<Batch> stuckBatch) {
        List<Future<EnqueueResult>> stuck = new ArrayList<>();
        try (RawTransaction holder = new RawTransaction(db)) {
            hold.by(holder);
            for (int i = 0; i < STUCK; i++) {
                stuck.add(submit(stuckBatch.apply(i)));
            }
            List<Future<EnqueueResult>> others = innocents(20);
            for (Future<EnqueueResult> other : others) {
                assertThat(((Stored) await(other, SOON)).anyInserted()).isTrue();
            }
            assertThat(stuck).noneMatch(Future::isComplete);
            holder.commit();
        }
        stuck.forEach(TestDatabase::await);
        return stuck;
    }

    @Test
    @DisplayName("OUT-10 a flush whose commit has no known outcome is answered so and is not tried again")
    void unknownOutcome() {
        // The server goes away in the middle of the flush, as far as the service can tell perhaps after its commit.
        db.execute("""
                CREATE SEQUENCE breaks;
                CREATE FUNCTION break_flush() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM nextval('breaks');
                    PERFORM pg_terminate_backend(pg_backend_pid());
                    RETURN NEW;
                END $$;
                CREATE TRIGGER break_flush BEFORE INSERT ON telegram_outbox_inflight
                    FOR EACH ROW WHEN (NEW.bot_id = 'breaking') EXECUTE FUNCTION break_flush()""");
        Future<EnqueueResult> broken = submit(batch("broken", part("k").bot("breaking")));
        assertThat(awaitFailure(broken))
                .isInstanceOfSatisfying(DatabaseFailure.class, failure -> assertThat(failure.kind())
                        .isEqualTo(DatabaseFailure.Kind.OUTCOME_UNKNOWN));
        assertThat(db.number("SELECT last_value FROM breaks")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isZero();
        assertThat(fixture.enqueue("next", part("k")).anyInserted()).isTrue();
    }

    @Test
    @DisplayName("OUT-10 a flush that is killed while it waits for a lock has no known outcome either")
    void killedWhileWaiting() {
        Future<EnqueueResult> killed;
        try (RawTransaction holder = new RawTransaction(db)) {
            holder.run("LOCK TABLE telegram_outbox_keys IN ACCESS EXCLUSIVE MODE");
            killed = submit(batch("killed", part("k")));
            holder.awaitWaiter();
            db.execute(
                    "SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a WHERE %d = ANY (pg_blocking_pids(a.pid))"
                            .formatted(holder.pid()));
            assertThat(awaitFailure(killed))
                    .isInstanceOfSatisfying(DatabaseFailure.class, failure -> assertThat(failure.kind())
                            .isEqualTo(DatabaseFailure.Kind.OUTCOME_UNKNOWN));
        }
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isZero();
        assertThat(fixture.enqueue("killed", part("k")).anyInserted()).isTrue();
    }
}
