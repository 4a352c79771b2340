package io.tailrace.activity;

import static io.tailrace.activity.ActivityFixture.message;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.activity.AppendResult.Replayed;
import io.tailrace.activity.AppendResult.Stored;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many writers over two instances, with inserts that fail: what is acknowledged is stored once, and counted without a gap. */
class ActivityCrowdIT {
    private static final int WRITERS = 32;
    private static final Duration ENOUGH = Duration.ofMinutes(2);
    private static final String FAILS = "to fail";

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private ActivityFixture one;
    private ActivityFixture two;
    private final Map<UUID, Activity> acknowledged = new ConcurrentHashMap<>();
    private final AtomicInteger failed = new AtomicInteger();

    @BeforeEach
    void open() {
        ActivityFixture.empty(db);
        one = new ActivityFixture(db);
        two = new ActivityFixture(db);
        db.execute("""
                CREATE FUNCTION fail_some() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    RAISE EXCEPTION 'made to fail';
                END $$;
                CREATE TRIGGER fail_some BEFORE INSERT ON activities
                    FOR EACH ROW WHEN (NEW.text = 'to fail') EXECUTE FUNCTION fail_some()""");
    }

    @AfterEach
    void close() {
        db.clock().reset();
        one.close();
        two.close();
        db.execute("DROP FUNCTION fail_some CASCADE");
    }

    /** One activity after the other, one in twenty made to fail; each is sent again, to the other instance, now and then. */
    private Future<Void> writer(int number, int appends, List<UUID> conversations) {
        Random random = new Random(7L * number + appends);
        Future<Void> done = Future.succeededFuture();
        for (int i = 0; i < appends; i++) {
            UUID conversation = conversations.get(random.nextInt(conversations.size()));
            String text = random.nextInt(20) == 0 ? FAILS : "w" + number + " " + i;
            NewActivity activity = message(conversation, number + ":" + i, text);
            ActivityFixture here = random.nextBoolean() ? one : two;
            boolean again = random.nextInt(10) == 0;
            done = done.compose(before -> append(here, activity))
                    .compose(before -> again ? append(here == one ? two : one, activity) : Future.succeededFuture());
        }
        return done;
    }

    private Future<Void> append(ActivityFixture at, NewActivity activity) {
        return at.submit(activity).transform(done -> {
            if (done.failed()) {
                failed.incrementAndGet();
                return FAILS.equals(activity.text()) ? Future.succeededFuture() : Future.failedFuture(done.cause());
            }
            if (done.result() instanceof Stored stored) {
                acknowledged.put(stored.activity().id(), stored.activity());
            } else if (!(done.result() instanceof Replayed replayed)
                    || !acknowledged.containsKey(replayed.activity().id())) {
                return Future.failedFuture(new AssertionError("answered " + done.result()));
            }
            return Future.succeededFuture();
        });
    }

    /** Lists in one transaction, over conversations in no order, a key twice now and then. */
    private Future<Void> bulkWriter(int number, int lists, List<UUID> conversations) {
        Random random = new Random(number);
        Future<Void> done = Future.succeededFuture();
        for (int i = 0; i < lists; i++) {
            List<NewActivity> list = new ArrayList<>();
            for (int j = 0; j < 20; j++) {
                UUID conversation = conversations.get(random.nextInt(conversations.size()));
                list.add(message(conversation, "bulk " + number + ":" + i + ":" + j, "bulk"));
            }
            list.add(list.get(random.nextInt(list.size())));
            ActivityFixture here = number % 2 == 0 ? one : two;
            done = done.compose(before -> db.database()
                    .transaction(connection -> here.activities.append(connection, ActivityFixture.TENANT, list))
                    .onSuccess(results -> results.forEach(result -> {
                        if (result instanceof Stored stored) {
                            acknowledged.put(stored.activity().id(), stored.activity());
                        }
                    }))
                    .mapEmpty());
        }
        return done;
    }

    private void crowd(int conversations, int appends) {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < conversations; i++) {
            ids.add(UUID.randomUUID());
        }
        ids.forEach(id -> db.execute(
                "INSERT INTO conversations (id, tenant_id, created_at, updated_at) SELECT ?, tailrace.default_tenant(), tailrace_now(), tailrace_now()",
                id));
        List<Future<Void>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(writer(i, appends, ids));
        }
        for (int i = 0; i < 4; i++) {
            writers.add(bulkWriter(i, appends / 4, ids));
        }
        await(Future.join(writers), ENOUGH);
    }

    private void check() {
        assertThat(failed.get()).isPositive();
        assertThat(db.query("SELECT id, seq, text FROM activities"))
                .hasSize(acknowledged.size())
                .allSatisfy(row -> assertThat(acknowledged.get((UUID) row.get("id")))
                        .satisfies(activity -> assertThat(activity.seq()).isEqualTo(row.get("seq")))
                        .satisfies(activity -> assertThat(activity.text()).isEqualTo(row.get("text"))));
        assertThat(db.query("""
                        SELECT c.id, c.last_seq, s.* FROM conversations c, LATERAL (
                            SELECT count(*) AS n, count(DISTINCT a.seq) AS different, coalesce(min(a.seq), 1) AS least,
                                   coalesce(max(a.seq), 0) AS most
                              FROM activities a WHERE a.conversation_id = c.id) s
                         WHERE s.n <> c.last_seq OR s.different <> s.n OR s.most <> s.n OR s.least <> 1""")).as("contiguous, no duplicate").isEmpty();
        assertThat(db.number("""
                        SELECT count(*) FROM (
                            SELECT a.inserted_at <= lag(a.inserted_at) OVER (PARTITION BY a.conversation_id ORDER BY a.seq) AS inverted
                              FROM activities a) x WHERE x.inverted""")).as("inserted_at goes up with seq").isZero();
        assertThat(
                        db.number(
                                "SELECT count(*) FROM (SELECT FROM activities GROUP BY conversation_id, idempotency_key HAVING count(*) > 1) x"))
                .as("a key twice")
                .isZero();
        assertThat(db.number("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"))
                .as("deadlocks")
                .isZero();
    }

    @Test
    @DisplayName(
            "ACT-1 32 writers over two instances on one conversation, one insert in twenty failing: seq has no gap and no duplicate")
    void oneConversation() {
        crowd(1, 60);
        check();
    }

    @Test
    @DisplayName(
            "ACT-1 32 writers over two instances on 1,000 conversations, one insert in twenty failing: no gap and no duplicate")
    void manyConversations() {
        crowd(1_000, 120);
        check();
    }

    @Test
    @DisplayName(
            "ACT-3 the same while the clock goes over a month boundary: nothing is inverted, no key is stored twice")
    void overABoundary() {
        ZonedDateTime boundary = ZonedDateTime.ofInstant(db.clock().now(), ZoneOffset.UTC)
                .truncatedTo(ChronoUnit.DAYS)
                .withDayOfMonth(1)
                .plusMonths(1);
        db.clock().set(boundary.minusMinutes(1).toInstant());
        List<UUID> ids = List.of(one.conversation(), one.conversation(), one.conversation(), one.conversation());
        List<Future<Void>> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(writer(i, 40, ids));
        }
        for (int minutes : new int[] {2, -1, 1, 30}) {
            int seen = acknowledged.size();
            org.awaitility.Awaitility.await()
                    .atMost(TestDatabase.PATIENCE)
                    .until(() ->
                            acknowledged.size() > seen + 50 || writers.stream().allMatch(Future::isComplete));
            db.clock().set(boundary.plusMinutes(minutes).toInstant());
        }
        await(Future.join(writers), ENOUGH);
        // Everything once more, after the boundary: replays, or the failures that they were.
        List<Future<Void>> again = new ArrayList<>();
        int stored = acknowledged.size();
        for (int i = 0; i < WRITERS; i++) {
            again.add(writer(i, 40, ids));
        }
        await(Future.join(again), ENOUGH);
        assertThat(acknowledged).hasSize(stored);
        check();
        assertThat(db.number("SELECT count(DISTINCT tableoid) FROM activities")).isEqualTo(2);
    }
}
