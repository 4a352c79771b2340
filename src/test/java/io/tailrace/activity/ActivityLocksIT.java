package io.tailrace.activity;

import static io.tailrace.activity.ActivityFixture.TENANT;
import static io.tailrace.activity.ActivityFixture.appendIn;
import static io.tailrace.activity.ActivityFixture.message;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.activity.AppendResult.NoConversation;
import io.tailrace.activity.AppendResult.Replayed;
import io.tailrace.activity.AppendResult.Stored;
import io.tailrace.testkit.OpenTransaction;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two appends at once, one of them stopped in the middle: what the other waits for, and what it sees then. */
class ActivityLocksIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private ActivityFixture fixture;
    private UUID conversation;

    @BeforeEach
    void open() {
        ActivityFixture.empty(db);
        fixture = new ActivityFixture(db);
        conversation = fixture.conversation();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** In a transaction of its own, which waits as long as it takes: not in a lane, whose patience is short. */
    private Future<List<AppendResult>> inTransaction(NewActivity... activities) {
        return db.database()
                .transaction(connection -> fixture.activities.append(connection, TENANT, List.of(activities)));
    }

    @Test
    @DisplayName("ACT-1 a second append to a conversation waits for the first and takes the next seq")
    void secondTakesTheNext() {
        Future<List<AppendResult>> second;
        try (OpenTransaction first = new OpenTransaction(db)) {
            appendIn(first, conversation, null);
            second = inTransaction(message(conversation, null, "second"));
            first.awaitWaiter();
            first.commit();
        }
        assertThat(((Stored) await(second).get(0)).activity().seq()).isEqualTo(2);
        assertThat(fixture.log(conversation)).extracting(Activity::seq).containsExactly(1L, 2L);
    }

    @Test
    @DisplayName("ACT-1 when the first is rolled back, its seq is the second's")
    void rolledBackLeavesNoGap() {
        Future<List<AppendResult>> second;
        try (OpenTransaction first = new OpenTransaction(db)) {
            appendIn(first, conversation, null);
            second = inTransaction(message(conversation, null, "second"));
            first.awaitWaiter();
            first.rollback();
        }
        assertThat(((Stored) await(second).get(0)).activity().seq()).isEqualTo(1);
    }

    @Test
    @DisplayName("ACT-2 a second append of a key that waited for the first's commit is its replay")
    void secondSeesTheFirstsKey() {
        Future<List<AppendResult>> second;
        try (OpenTransaction first = new OpenTransaction(db)) {
            appendIn(first, conversation, "k");
            second = inTransaction(message(conversation, "k", "Hello"));
            first.awaitWaiter();
            first.commit();
        }
        assertThat(((Replayed) await(second).get(0)).activity().seq()).isEqualTo(1);
        assertThat(fixture.log(conversation)).hasSize(1);
    }

    @Test
    @DisplayName("ACT-2 when the first is rolled back, the second stores the key")
    void rolledBackKeyIsFree() {
        Future<List<AppendResult>> second;
        try (OpenTransaction first = new OpenTransaction(db)) {
            appendIn(first, conversation, "k");
            second = inTransaction(message(conversation, "k", "Hello"));
            first.awaitWaiter();
            first.rollback();
        }
        assertThat(await(second).get(0)).isInstanceOf(Stored.class);
    }

    @Test
    @DisplayName("ACT-3 the clock is read after the lock: an append that waited is not older than what it waited for")
    void clockAfterLock() {
        Future<List<AppendResult>> second;
        Instant released;
        try (OpenTransaction holder = new OpenTransaction(db)) {
            holder.run("SELECT FROM conversations WHERE id = ? FOR UPDATE", conversation);
            second = inTransaction(message(conversation, null, "second"));
            holder.awaitWaiter();
            released = db.clock().now();
            holder.commit();
        }
        assertThat(((Stored) await(second).get(0)).activity().insertedAt()).isAfterOrEqualTo(released);
    }

    @Test
    @DisplayName("ACT-5 conversations are locked in id order, whatever order a call names them in")
    void lockedInIdOrder() {
        List<String> ids = Stream.generate(fixture::conversation)
                .limit(12)
                .map(UUID::toString)
                .sorted()
                .toList();
        List<String> named = new ArrayList<>(ids);
        Collections.reverse(named);
        String middle = ids.get(6);
        Future<List<AppendResult>> waiting;
        try (OpenTransaction holder = new OpenTransaction(db)) {
            holder.run("SELECT FROM conversations WHERE id = ?::uuid FOR UPDATE", middle);
            waiting = inTransaction(named.stream()
                    .map(id -> message(UUID.fromString(id), null, "Hello"))
                    .toArray(NewActivity[]::new));
            holder.awaitWaiter();
            List<String> free = db.query("SELECT id::text FROM conversations FOR UPDATE SKIP LOCKED").stream()
                    .map(row -> (String) row.get("id"))
                    .filter(ids::contains)
                    .sorted()
                    .toList();
            assertThat(free).isEqualTo(ids.subList(7, 12));
            holder.commit();
        }
        assertThat(await(waiting)).allMatch(Stored.class::isInstance);
    }

    @Test
    @DisplayName(
            "ACT-5 a list that is stored in several calls, because a key comes again, has all of it locked in id order first")
    void severalCallsLockInIdOrder() {
        List<UUID> two = Stream.generate(fixture::conversation)
                .limit(2)
                .map(UUID::toString)
                .sorted()
                .map(UUID::fromString)
                .toList();
        UUID low = two.get(0);
        UUID high = two.get(1);
        Future<List<AppendResult>> waiting;
        try (OpenTransaction holder = new OpenTransaction(db)) {
            holder.run("SELECT FROM conversations WHERE id = ? FOR UPDATE", low);
            waiting = inTransaction(message(high, "k", "1"), message(high, "k", "1"), message(low, null, "2"));
            holder.awaitWaiter();
            assertThat(db.query("SELECT FROM conversations WHERE id = ? FOR UPDATE SKIP LOCKED", high))
                    .hasSize(1);
            holder.commit();
        }
        assertThat(await(waiting)).hasSize(3).last().isInstanceOf(Stored.class);
    }

    @Test
    @DisplayName("ACT-11 a tenant's end waits for appends in hand, and no append comes after its commit")
    void tenantsEnd() {
        Future<List<AppendResult>> late;
        try (OpenTransaction append = new OpenTransaction(db);
                OpenTransaction end = new OpenTransaction(db)) {
            appendIn(append, conversation, "k");
            assertThat(end.text("SELECT pg_try_advisory_xact_lock(1953855085, tailrace.tenant_stripe(?))", TENANT))
                    .isEqualTo("f");
            append.commit();
            end.run("SELECT tailrace.close_tenant(?)", TENANT)
                    .run("UPDATE tenants SET status = 'deleting' WHERE id = ?", TENANT);
            late = inTransaction(message(conversation, null, "late"));
            end.awaitWaiterOr(late::isComplete);
            assertThat(late.isComplete()).isFalse();
            end.commit();
        }
        assertThat(await(late)).containsExactly(new NoConversation());
        assertThat(db.number("SELECT count(*) FROM activities")).isEqualTo(1);
    }

    @Test
    @DisplayName("ACT-11 an append that waited for a conversation's deletion stores nothing in it")
    void conversationsEnd() {
        Future<List<AppendResult>> late;
        try (OpenTransaction end = new OpenTransaction(db)) {
            end.run("UPDATE conversations SET status = 'deleting' WHERE id = ?", conversation);
            late = inTransaction(message(conversation, null, "late"));
            end.awaitWaiter();
            end.commit();
        }
        assertThat(await(late)).containsExactly(new NoConversation());
        assertThat(db.number("SELECT count(*) FROM activities")).isZero();
    }
}
