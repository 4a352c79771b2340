package io.tailrace.activity;

import static io.tailrace.activity.ActivityFixture.message;
import static io.tailrace.testkit.TestDatabase.await;
import static io.tailrace.testkit.TestDatabase.awaitFailure;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tailrace.activity.AppendResult.Conflict;
import io.tailrace.db.DatabaseFailure;
import io.tailrace.db.DatabaseFailure.Kind;
import io.tailrace.partition.MaintainedTables;
import io.tailrace.partition.PartitionMaintenance;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The log over months: what a boundary must not change, and a month that is not there. */
class ActivityMonthsIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private ActivityFixture fixture;
    private Instant boundary;

    @BeforeEach
    void open() {
        ActivityFixture.empty(db);
        fixture = new ActivityFixture(db);
        boundary = ZonedDateTime.ofInstant(db.clock().now(), ZoneOffset.UTC)
                .truncatedTo(ChronoUnit.DAYS)
                .withDayOfMonth(1)
                .plusMonths(1)
                .toInstant();
    }

    @AfterEach
    void close() {
        db.clock().reset();
        fixture.close();
    }

    private static List<String> partitions() {
        return db
                .query("SELECT tableoid::regclass::text AS name FROM activities ORDER BY conversation_id, seq")
                .stream()
                .map(row -> (String) row.get("name"))
                .toList();
    }

    @Test
    @DisplayName(
            "ACT-2 a key is stored once whatever month the first copy is in; a conflict names the field over months, too")
    void keyAcrossMonths() {
        db.clock().set(boundary.minus(Duration.ofHours(1)));
        UUID conversation = fixture.conversation();
        Activity first = fixture.store(conversation, "k");
        db.clock().set(boundary.plus(Duration.ofDays(62)));
        assertThat(fixture.replay(message(conversation, "k", "Hello")).id()).isEqualTo(first.id());
        assertThat(fixture.append(message(conversation, "k", "another"))).isEqualTo(new Conflict("/text"));
        assertThat(fixture.store(conversation, "other").seq()).isEqualTo(2);
        assertThat(fixture.replay(message(conversation, "k", "Hello")).id()).isEqualTo(first.id());
        assertThat(partitions()).doesNotHaveDuplicates().hasSize(2);
    }

    @Test
    @DisplayName("ACT-3 over a month boundary seq goes on, and a clock that goes back over it inverts nothing")
    void boundaryInvertsNothing() {
        db.clock().set(boundary.minus(Duration.ofHours(1)));
        UUID conversation = fixture.conversation();
        fixture.store(conversation, "a");
        db.clock().set(boundary.plus(Duration.ofHours(1)));
        Activity second = fixture.store(conversation, "b");
        db.clock().set(boundary.minus(Duration.ofHours(1)));
        Activity third = fixture.store(conversation, "c");
        assertThat(third.insertedAt()).isEqualTo(second.insertedAt().plusNanos(1_000));
        assertThat(fixture.log(conversation)).extracting(Activity::seq).containsExactly(1L, 2L, 3L);
        List<String> names = partitions();
        assertThat(names.get(0)).isLessThan(names.get(1));
        assertThat(names.get(2)).isEqualTo(names.get(1));
    }

    @Test
    @DisplayName("ACT-3 one call may fill the last microsecond of a month and go on in the next")
    void throughTheBoundary() {
        db.clock().set(boundary.minus(Duration.ofHours(1)));
        UUID conversation = fixture.conversation();
        db.execute(
                "UPDATE conversations SET last_seq = 7, last_activity_at = ? WHERE id = ?",
                boundary.minusNanos(3_000).atOffset(ZoneOffset.UTC),
                conversation);
        List<NewActivity> four = List.of(
                message(conversation, "a", "1"),
                message(conversation, "b", "2"),
                message(conversation, "c", "3"),
                message(conversation, "d", "4"));
        await(db.database()
                .transaction(connection -> fixture.activities.append(connection, ActivityFixture.TENANT, four)));
        assertThat(fixture.log(conversation))
                .extracting(Activity::insertedAt)
                .containsExactly(
                        boundary.minusNanos(2_000), boundary.minusNanos(1_000), boundary, boundary.plusNanos(1_000));
        assertThat(fixture.log(conversation)).extracting(Activity::seq).containsExactly(8L, 9L, 10L, 11L);
        assertThat(partitions().stream().distinct()).hasSize(2);
    }

    @Test
    @DisplayName(
            "ACT-4 every month has the unique indexes of seq and key, and they hold what goes around the append path")
    void uniqueInEveryMonth() {
        List<String> months = db
                .query(
                        "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'activities'::regclass")
                .stream()
                .map(row -> (String) row.get("name"))
                .toList();
        assertThat(months).hasSizeGreaterThanOrEqualTo(4).allSatisfy(month -> assertThat(db
                        .query(
                                "SELECT substring(indexdef FROM 'USING.*') AS how FROM pg_indexes WHERE tablename = ? AND indexdef LIKE '%UNIQUE%'",
                                month)
                        .stream()
                        .map(row -> (String) row.get("how")))
                .containsExactlyInAnyOrder(
                        "USING btree (id)",
                        "USING btree (conversation_id, seq)",
                        "USING btree (conversation_id, idempotency_key) WHERE (idempotency_key IS NOT NULL)"));
        UUID conversation = fixture.conversation();
        fixture.store(conversation, "k");
        String copy =
                "INSERT INTO activities SELECT gen_random_uuid(), tenant_id, conversation_id, seq + ?, type, sender, text,"
                        + " attachments, metadata, idempotency_key, inserted_at, updated_at FROM activities";
        assertThatThrownBy(() -> db.execute(copy, 0)).hasMessageContaining("_seq");
        assertThatThrownBy(() -> db.execute(copy, 1)).hasMessageContaining("_key");
    }

    @Test
    @DisplayName(
            "ACT-4 a key that somebody stored around the append path is a conflict for that append, and for no other")
    void keyAroundTheAppendPath() {
        UUID conversation = fixture.conversation();
        db.execute(
                "INSERT INTO activities (id, tenant_id, conversation_id, seq, type, sender, idempotency_key, inserted_at, updated_at)"
                        + " SELECT gen_random_uuid(), tenant_id, id, 1000, 'message', 'u', 'k', tailrace_now(), tailrace_now()"
                        + " FROM conversations WHERE id = ?",
                conversation);
        Future<AppendResult> held = fixture.submit(message(conversation, "k", "Hello"));
        Future<AppendResult> after = fixture.submit(message(conversation, "b", "Hello"));
        assertThat(await(held)).isEqualTo(new Conflict("/idempotency_key"));
        assertThat(await(after)).isInstanceOf(AppendResult.Stored.class);
    }

    @Test
    @DisplayName("ACT-4 a counter that somebody has set back makes a failure, never a second activity of one seq")
    void counterSetBack() {
        UUID conversation = fixture.conversation();
        fixture.store(conversation, "a");
        db.execute("UPDATE conversations SET last_seq = 0 WHERE id = ?", conversation);
        assertThat(awaitFailure(fixture.submit(message(conversation, "b", "Hello"))))
                .isInstanceOfSatisfying(DatabaseFailure.class, failure -> assertThat(failure.kind())
                        .isEqualTo(Kind.UNIQUE_VIOLATION));
        assertThat(fixture.log(conversation)).hasSize(1);
    }

    @Test
    @DisplayName("ACT-18 an append whose month is missing fails so, is counted, and has the month made at once")
    void missingMonth() {
        PartitionMaintenance maintenance =
                new PartitionMaintenance(db.database(), MaintainedTables.monthly(ActivityTables.MONTHLY));
        List<Future<?>> made = new ArrayList<>();
        ActivityFixture far = new ActivityFixture(
                db, ActivitySettings.DEFAULT, () -> made.add(maintenance.ensure(Duration.ofSeconds(20))));
        try {
            UUID conversation = far.conversation();
            db.clock().set(boundary.plus(Duration.ofDays(200)));
            assertThat(awaitFailure(far.submit(message(conversation, "k", "Hello"))))
                    .isInstanceOfSatisfying(DatabaseFailure.class, failure -> assertThat(failure.kind())
                            .isEqualTo(Kind.PARTITION_MISSING));
            assertThat(far.asked.get()).isEqualTo(1);
            assertThat(far.meters
                            .get("tailrace.activities.append")
                            .tag("result", "partition_missing")
                            .counter()
                            .count())
                    .isEqualTo(1);
            made.forEach(one -> await(one, Duration.ofSeconds(60)));
            assertThat(far.store(conversation, "k").seq()).isEqualTo(1);
        } finally {
            far.close();
        }
    }

    @Test
    @DisplayName(
            "ACT-18 however many appends find their month missing, all are counted and the month is asked for once a second")
    void missingMonthForMany() {
        UUID conversation = fixture.conversation();
        db.clock().set(boundary.plus(Duration.ofDays(400)));
        List<Future<AppendResult>> all = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            all.add(fixture.submit(message(conversation, "k" + i, "Hello")));
        }
        all.forEach(TestDatabase::awaitFailure);
        assertThat(fixture.asked.get()).isBetween(1, 5);
        assertThat(fixture.meters
                        .get("tailrace.activities.append")
                        .tag("result", "partition_missing")
                        .counter()
                        .count())
                .isEqualTo(60);
        assertThat(db.number("SELECT count(*) FROM activities")).isZero();
        assertThat(db.number("SELECT last_seq FROM conversations")).isZero();
    }
}
