package io.tailrace.activity;

import static io.tailrace.activity.ActivityFixture.TENANT;
import static io.tailrace.activity.ActivityFixture.message;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.activity.AppendResult.Conflict;
import io.tailrace.activity.AppendResult.NoConversation;
import io.tailrace.activity.AppendResult.Replayed;
import io.tailrace.activity.AppendResult.Stored;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What an append stores and answers. */
class ActivityAppendIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private ActivityFixture fixture;

    @BeforeEach
    void open() {
        ActivityFixture.empty(db);
        fixture = new ActivityFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
        db.clock().reset();
    }

    @Test
    @DisplayName("ACT-1 seq counts 1, 2, 3 per conversation, and the conversation says how far it has come")
    void counts() {
        UUID one = fixture.conversation();
        UUID other = fixture.conversation();
        assertThat(List.of(fixture.store(one, null), fixture.store(one, null), fixture.store(other, null)))
                .extracting(Activity::seq)
                .containsExactly(1L, 2L, 1L);
        assertThat(await(fixture.conversations.find(TENANT, one)).orElseThrow())
                .satisfies(conversation -> assertThat(conversation.lastSeq()).isEqualTo(2))
                .satisfies(conversation -> assertThat(conversation.lastActivityAt())
                        .isEqualTo(fixture.log(one).get(1).insertedAt()));
    }

    @Test
    @DisplayName("ACT-1 ids are UUIDv7 that carry the millisecond of inserted_at and go up with seq")
    void ids() {
        UUID conversation = fixture.conversation();
        List<NewActivity> many = IntStream.range(0, 500)
                .mapToObj(i -> message(conversation, null, "m" + i))
                .toList();
        List<Activity> stored =
                await(db.database().transaction(connection -> fixture.activities.append(connection, TENANT, many)))
                        .stream()
                        .map(result -> ((Stored) result).activity())
                        .toList();
        assertThat(stored).allSatisfy(activity -> {
            assertThat(activity.id().version()).isEqualTo(7);
            assertThat(activity.id().variant()).isEqualTo(2);
            assertThat(activity.id().getMostSignificantBits() >>> 16)
                    .isEqualTo(activity.insertedAt().toEpochMilli());
        });
        assertThat(stored).extracting(activity -> activity.id().toString()).isSorted();
        assertThat(stored).extracting(Activity::insertedAt).isSorted().doesNotHaveDuplicates();
        assertThat(
                        db.number(
                                "SELECT count(*) FROM activities WHERE tailrace.uuid_v7_time(id) <> date_trunc('milliseconds', inserted_at)"))
                .isZero();
    }

    @Test
    @DisplayName("ACT-2 the same key and content is the first activity again, however it is written")
    void replays() {
        UUID conversation = fixture.conversation();
        Activity first = fixture.store(new NewActivity(
                conversation, "message", "u", null, "[{\"a\": 1}]", "{\"b\": 1.0, \"a\": [\"\\u00e9\"]}", "k", null));
        Activity again = fixture.replay(new NewActivity(
                conversation, "message", "u", null, "[{\"a\":1}]", "{\"a\":[\"é\"],\"b\":1.0}", "k", "another trace"));
        assertThat(again.id()).isEqualTo(first.id());
        assertThat(again.seq()).isEqualTo(first.seq());
        assertThat(again.insertedAt()).isEqualTo(first.insertedAt());
        assertThat(fixture.log(conversation)).hasSize(1);
        assertThat(fixture.store(conversation, "another").seq()).isEqualTo(2);
    }

    @Test
    @DisplayName("ACT-2 a key belongs to its conversation")
    void keysOfConversations() {
        assertThat(fixture.store(fixture.conversation(), "k").seq()).isEqualTo(1);
        assertThat(fixture.store(fixture.conversation(), "k").seq()).isEqualTo(1);
    }

    static Stream<Arguments> others() {
        return Stream.of(
                Arguments.of("/type", "event", "u", "Hello", "[]", "{}"),
                Arguments.of("/sender", "message", "v", "Hello", "[]", "{}"),
                Arguments.of("/text", "message", "u", "Hello!", "[]", "{}"),
                Arguments.of("/text", "message", "u", null, "[]", "{}"),
                Arguments.of("/attachments", "message", "u", "Hello", "[1]", "{}"),
                Arguments.of("/metadata", "message", "u", "Hello", "[]", "{\"\":null}"));
    }

    @ParameterizedTest(name = "ACT-2 a key with another {0} is a conflict that names it, and stores nothing")
    @MethodSource("others")
    void conflicts(String pointer, String type, String sender, String text, String attachments, String metadata) {
        UUID conversation = fixture.conversation();
        fixture.store(new NewActivity(conversation, "message", "u", "Hello", "[]", "{}", "k", null));
        assertThat(fixture.append(new NewActivity(conversation, type, sender, text, attachments, metadata, "k", null)))
                .isEqualTo(new Conflict(pointer));
        assertThat(fixture.log(conversation)).hasSize(1);
        assertThat(fixture.store(conversation, "next").seq()).isEqualTo(2);
    }

    @Test
    @DisplayName("ACT-3 inserted_at goes up with seq when the clock stands or goes back")
    void clockGoesBack() {
        UUID conversation = fixture.conversation();
        Activity first = fixture.store(conversation, null);
        db.clock().advance(java.time.Duration.ofMinutes(-5));
        Activity second = fixture.store(conversation, null);
        Activity third = fixture.store(conversation, null);
        assertThat(second.insertedAt()).isEqualTo(first.insertedAt().plusNanos(1_000));
        assertThat(third.insertedAt()).isEqualTo(first.insertedAt().plusNanos(2_000));
        assertThat(fixture.log(conversation)).extracting(Activity::seq).containsExactly(1L, 2L, 3L);
    }

    @Test
    @DisplayName("ACT-3 an activity is never older than its conversation: reads and key look-ups go from there on")
    void notBeforeTheConversation() {
        UUID conversation = fixture.conversation();
        db.clock().advance(java.time.Duration.ofDays(-1));
        Instant began = await(fixture.conversations.find(TENANT, conversation))
                .orElseThrow()
                .createdAt();
        Activity first = fixture.store(conversation, "k");
        assertThat(first.insertedAt()).isAfterOrEqualTo(began);
        assertThat(fixture.log(conversation)).hasSize(1);
        assertThat(fixture.replay(message(conversation, "k", "Hello")).id()).isEqualTo(first.id());
    }

    @Test
    @DisplayName(
            "ACT-1 what has no conversation is refused, alone: none of that id, another tenant's, one that is being deleted")
    void noConversation() {
        UUID tenant = fixture.tenant();
        UUID foreign = fixture.conversation(tenant, null);
        UUID deleted = fixture.conversation();
        assertThat(await(fixture.conversations.delete(TENANT, deleted))).isEqualTo(DeleteResult.DELETED);
        UUID good = fixture.conversation();
        List<NewActivity> mixed = new ArrayList<>();
        for (UUID id : List.of(UUID.randomUUID(), good, foreign, good, deleted)) {
            mixed.add(message(id, null, "Hello"));
        }
        List<AppendResult> results =
                await(db.database().transaction(connection -> fixture.activities.append(connection, TENANT, mixed)));
        assertThat(results.get(0)).isEqualTo(new NoConversation());
        assertThat(results.get(2)).isEqualTo(new NoConversation());
        assertThat(results.get(4)).isEqualTo(new NoConversation());
        assertThat(((Stored) results.get(1)).activity().seq()).isEqualTo(1);
        assertThat(((Stored) results.get(3)).activity().seq()).isEqualTo(2);
        assertThat(db.number("SELECT count(*) FROM activities")).isEqualTo(2);
    }

    @Test
    @DisplayName("ACT-5 a flush carries several tenants' appends, each judged by its own tenant")
    void tenantsShareAFlush() {
        UUID tenant = fixture.tenant();
        UUID foreign = fixture.conversation(tenant, null);
        UUID own = fixture.conversation();
        List<Future<AppendResult>> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(fixture.activities.append(tenant, message(foreign, null, "theirs")));
            all.add(fixture.submit(message(own, null, "ours")));
            all.add(fixture.submit(message(foreign, null, "not ours")));
        }
        for (int i = 0; i < all.size(); i++) {
            assertThat(await(all.get(i))).isInstanceOf(i % 3 == 2 ? NoConversation.class : Stored.class);
        }
        assertThat(db.number("SELECT count(*) FROM activities WHERE tenant_id = ?", tenant))
                .isEqualTo(20);
    }

    @Test
    @DisplayName("ACT-2 a key that comes again in one call is a replay or a conflict, in the order given")
    void keyTwiceInOneCall() {
        UUID conversation = fixture.conversation();
        List<AppendResult> results = await(db.database()
                .transaction(connection -> fixture.activities.append(
                        connection,
                        TENANT,
                        List.of(
                                message(conversation, "a", "1"),
                                message(conversation, "b", "1"),
                                message(conversation, "a", "1"),
                                message(conversation, "b", "2"),
                                message(conversation, "c", "1"),
                                message(conversation, "a", "1")))));
        assertThat(results)
                .satisfiesExactly(
                        one -> assertThat(((Stored) one).activity().seq()).isEqualTo(1),
                        one -> assertThat(((Stored) one).activity().seq()).isEqualTo(2),
                        one -> assertThat(((Replayed) one).activity().seq()).isEqualTo(1),
                        one -> assertThat(one).isEqualTo(new Conflict("/text")),
                        one -> assertThat(((Stored) one).activity().seq()).isEqualTo(3),
                        one -> assertThat(((Replayed) one).activity().seq()).isEqualTo(1));
    }

    @Test
    @DisplayName("ACT-1 a caller's rollback takes its activities and their numbers back")
    void rollback() {
        UUID conversation = fixture.conversation();
        fixture.store(conversation, "a");
        Throwable cause = TestDatabase.awaitFailure(db.database().transaction(connection -> fixture.activities
                .append(connection, TENANT, List.of(message(conversation, "b", "Hello")))
                .compose(stored -> Future.failedFuture(new IllegalStateException("changed my mind")))));
        assertThat(cause).hasMessage("changed my mind");
        assertThat(fixture.store(conversation, "b").seq()).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "ACT-2 a call in any other isolation than READ COMMITTED is refused: it would not see what it waits for")
    void isolation() {
        UUID conversation = fixture.conversation();
        assertThatThrownBy(() -> {
                    try (var transaction = new io.tailrace.testkit.OpenTransaction(db)) {
                        transaction.rollback();
                        transaction.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
                        ActivityFixture.appendIn(transaction, conversation, "k");
                    }
                })
                .hasMessageContaining("append needs READ COMMITTED");
    }
}
