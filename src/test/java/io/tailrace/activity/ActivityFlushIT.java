package io.tailrace.activity;

import static io.tailrace.activity.ActivityFixture.appendIn;
import static io.tailrace.activity.ActivityFixture.message;
import static io.tailrace.activity.ActivityFixture.metadata;
import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.activity.AppendResult.NoConversation;
import io.tailrace.activity.AppendResult.Stored;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.db.DatabaseFailure.Kind;
import io.tailrace.db.GroupCommit;
import io.tailrace.testkit.OpenTransaction;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Appends that are committed together: what one of them may do to the others, which is nothing. */
class ActivityFlushIT {
    /** More than run beside a lane at once. */
    private static final int STUCK = 8;
    /** Far less than lock_timeout, which is 10 s. */
    private static final Duration SOON = Duration.ofSeconds(4);

    private static final GroupCommit.Limits USUAL = ActivitySettings.DEFAULT.limits();

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private ActivityFixture fixture;

    @BeforeEach
    void open() {
        ActivityFixture.empty(db);
        fixture = lane(USUAL);
    }

    @AfterEach
    void close() {
        fixture.close();
        db.execute("DROP FUNCTION IF EXISTS break_flush CASCADE; DROP SEQUENCE IF EXISTS breaks");
    }

    private static ActivityFixture lane(GroupCommit.Limits limits) {
        return new ActivityFixture(db, new ActivitySettings(true, 1, limits), () -> {});
    }

    private List<Future<AppendResult>> innocents(int count) {
        List<UUID> conversations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            conversations.add(fixture.conversation());
        }
        return conversations.stream()
                .map(conversation -> fixture.submit(message(conversation, "k", "innocent")))
                .toList();
    }

    private static void allStored(List<Future<AppendResult>> all) {
        for (Future<AppendResult> one : all) {
            assertThat(await(one, SOON)).isInstanceOf(Stored.class);
        }
    }

    private static void fails(Future<AppendResult> append, Kind kind) {
        assertThat(awaitFailure(append))
                .isInstanceOfSatisfying(DatabaseFailure.class, failure -> assertThat(failure.kind())
                        .isEqualTo(kind));
    }

    @Test
    @DisplayName("ACT-5 appends that arrive together are committed together")
    void together() {
        allStored(innocents(60));
        assertThat(db.number("SELECT count(*) FROM activities")).isEqualTo(60);
        assertThat(db.number("SELECT count(DISTINCT xmin::text) FROM activities"))
                .isLessThan(20);
    }

    @Test
    @DisplayName("ACT-5 a conversation's appends are stored in the order in which they came")
    void inOrder() {
        UUID conversation = fixture.conversation();
        List<Future<AppendResult>> all = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            all.add(fixture.submit(message(conversation, null, "m" + i)));
        }
        for (int i = 0; i < all.size(); i++) {
            assertThat(((Stored) await(all.get(i))).activity().seq()).isEqualTo(i + 1);
        }
        assertThat(fixture.log(conversation)).extracting(Activity::text).startsWith("m0", "m1", "m2");
    }

    @Test
    @DisplayName("ACT-2 one key sent many times at once is stored once, whatever flush each goes with")
    void oneKeyAtOnce() {
        UUID conversation = fixture.conversation();
        List<Future<AppendResult>> all = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            all.add(fixture.submit(message(conversation, "k", "Hello")));
        }
        assertThat(all.stream().map(TestDatabase::await).filter(Stored.class::isInstance))
                .hasSize(1);
        assertThat(fixture.log(conversation)).hasSize(1);
    }

    @Test
    @DisplayName("ACT-5 an activity that PostgreSQL cannot store fails alone")
    void badOneFailsAlone() {
        UUID conversation = fixture.conversation();
        Future<AppendResult> first = fixture.submit(message(conversation, "first", "Hello"));
        Future<AppendResult> bad = fixture.submit(metadata(conversation, "bad", "{\"text\":\"\\u0000\"}"));
        Future<AppendResult> next = fixture.submit(message(conversation, "next", "Hello"));
        List<Future<AppendResult>> others = innocents(20);
        await(first);
        fails(bad, Kind.BAD_VALUE);
        allStored(others);
        assertThat(((Stored) await(next)).activity().seq()).isEqualTo(2);
        assertThat(fixture.log(conversation)).hasSize(2);
    }

    @Test
    @DisplayName("ACT-5 an activity that is refused leaves the others of its flush as they are")
    void refusedOneFailsAlone() {
        UUID conversation = fixture.conversation();
        fixture.store(conversation, "k");
        Future<AppendResult> busy = fixture.submit(message(conversation, null, "busy"));
        Future<AppendResult> conflict = fixture.submit(message(conversation, "k", "another"));
        Future<AppendResult> nowhere = fixture.submit(message(UUID.randomUUID(), null, "nowhere"));
        Future<AppendResult> last = fixture.submit(message(conversation, null, "last"));
        allStored(List.of(busy, last));
        assertThat(await(conflict)).isEqualTo(new AppendResult.Conflict("/text"));
        assertThat(await(nowhere)).isEqualTo(new NoConversation());
        assertThat(fixture.log(conversation)).extracting(Activity::seq).containsExactly(1L, 2L, 3L);
    }

    @Test
    @DisplayName(
            "ACT-5 appends to conversations that somebody has locked are committed beside the lane, the others meanwhile")
    void waitingStallsNobody() {
        List<UUID> conversations = new ArrayList<>();
        for (int i = 0; i < STUCK; i++) {
            conversations.add(fixture.conversation());
        }
        List<Future<AppendResult>> stuck = new ArrayList<>();
        try (OpenTransaction holder = new OpenTransaction(db)) {
            conversations.forEach(conversation -> appendIn(holder, conversation, "held"));
            conversations.forEach(conversation -> stuck.add(fixture.submit(message(conversation, "stuck", "Hello"))));
            allStored(innocents(20));
            allStored(innocents(20));
            assertThat(stuck).noneMatch(Future::isComplete);
            holder.commit();
        }
        for (Future<AppendResult> one : stuck) {
            assertThat(((Stored) await(one)).activity().seq()).isEqualTo(2);
        }
    }

    @Test
    @DisplayName("ACT-5 a flush whose commit has no known outcome is answered so and is not tried again")
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
                CREATE TRIGGER break_flush BEFORE INSERT ON activities
                    FOR EACH ROW WHEN (NEW.text = 'breaking') EXECUTE FUNCTION break_flush()""");
        UUID conversation = fixture.conversation();
        fails(fixture.submit(message(conversation, "k", "breaking")), Kind.OUTCOME_UNKNOWN);
        assertThat(db.number("SELECT last_value FROM breaks")).isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM activities")).isZero();
        assertThat(fixture.store(conversation, "k").seq()).isEqualTo(1);
    }

    @Test
    @DisplayName("ACT-6 a queue that is full refuses the next, and what it took is stored")
    void fullQueueRefuses() {
        ActivityFixture small = lane(new GroupCommit.Limits(1, USUAL.flushBytes(), 3, USUAL.queueBytes(), 1));
        try {
            UUID conversation = small.conversation();
            List<Future<AppendResult>> all = new ArrayList<>();
            try (OpenTransaction holder = new OpenTransaction(db)) {
                holder.run("SELECT FROM conversations WHERE id = ? FOR UPDATE", conversation);
                for (int i = 0; i < 40; i++) {
                    all.add(small.submit(message(conversation, "k" + i, "Hello")));
                }
                fails(all.get(39), Kind.OVERLOADED);
                holder.commit();
            }
            long taken = all.stream()
                    .map(one -> await(one.transform(done -> Future.succeededFuture(done.succeeded()))))
                    .filter(done -> done)
                    .count();
            assertThat(taken).isBetween(1L, 10L);
            assertThat(small.log(conversation)).hasSize((int) taken);
        } finally {
            small.close();
        }
    }

    @Test
    @DisplayName("ACT-6 a queue is bounded in bytes, too")
    void fullOfBytes() {
        ActivityFixture small = lane(new GroupCommit.Limits(1, 1, 1_000, 3_000, 1));
        try {
            UUID conversation = small.conversation();
            List<Future<AppendResult>> all = new ArrayList<>();
            try (OpenTransaction holder = new OpenTransaction(db)) {
                holder.run("LOCK TABLE conversations IN ACCESS EXCLUSIVE MODE");
                for (int i = 0; i < 20; i++) {
                    all.add(small.submit(message(conversation, "k" + i, "x".repeat(1_000))));
                }
                fails(all.get(19), Kind.OVERLOADED);
                holder.commit();
            }
            all.forEach(one -> await(one.transform(done -> Future.succeededFuture(done.succeeded()))));
            assertThat(small.log(conversation)).hasSizeBetween(1, 5);
        } finally {
            small.close();
        }
    }

    @Test
    @DisplayName("ACT-6 a log that stops answers what it took and takes nothing more")
    void stops() {
        UUID conversation = fixture.conversation();
        List<Future<AppendResult>> taken = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            taken.add(fixture.submit(message(conversation, null, "m" + i)));
        }
        await(fixture.activities.stop());
        assertThat(taken).allMatch(Future::succeeded);
        fails(fixture.submit(message(conversation, null, "late")), Kind.OVERLOADED);
    }
}
