package io.tailrace.purge;

import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.activity.Activities;
import io.tailrace.activity.Activity;
import io.tailrace.activity.ActivitySettings;
import io.tailrace.activity.AppendResult;
import io.tailrace.activity.ConversationResult;
import io.tailrace.activity.Conversations;
import io.tailrace.activity.DeleteResult;
import io.tailrace.activity.NewActivity;
import io.tailrace.testkit.TestDatabase;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a deleted conversation leaves is taken out. */
class PurgingIT {
    private static final UUID TENANT = UUID.fromString("00000000-0000-0000-0000-000000000001");
    private static final String DELIVERY = """
            INSERT INTO deliveries (id, tenant_id, activity_id, activity_inserted_at, channel_id, inserted_at, updated_at)
            VALUES (gen_random_uuid(), tailrace.default_tenant(), ?, ?, gen_random_uuid(), tailrace_now(), tailrace_now())""";

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private Activities activities;
    private Conversations conversations;
    private UUID doomed;
    private UUID other;

    @BeforeEach
    void open() {
        db.execute("DELETE FROM activities; DELETE FROM deliveries; DELETE FROM conversations; DELETE FROM tombstones;"
                + " DELETE FROM purges; UPDATE tenants SET retention_hold_until = NULL");
        activities = new Activities(db.vertx(), db.database(), ActivitySettings.DEFAULT, meters, () -> {});
        conversations = new Conversations(db.database());
        doomed = conversation(12);
        other = conversation(3);
    }

    @AfterEach
    void close() {
        await(activities.stop());
        db.clock().reset();
    }

    private UUID conversation(int size) {
        ConversationResult made = await(conversations.create(TENANT, null, null, "{}"));
        UUID id = ((ConversationResult.Created) made).conversation().id();
        for (int i = 0; i < size; i++) {
            AppendResult stored = await(activities.append(
                    TENANT, new NewActivity(id, "message", "user-1", "Hello", "[]", "{}", null, null)));
            Activity activity = ((AppendResult.Stored) stored).activity();
            db.execute(DELIVERY, activity.id(), activity.insertedAt().atOffset(ZoneOffset.UTC));
        }
        return id;
    }

    private Purging purging() {
        return new Purging(db.vertx(), db.database(), meters, 5);
    }

    private static boolean holds(PurgeStore.Claimed purge) {
        return await(db.database().transaction(connection -> PurgeStore.hold(connection, purge)));
    }

    private void delete() {
        assertThat(await(conversations.delete(TENANT, doomed))).isEqualTo(DeleteResult.DELETED);
    }

    private long rows(UUID conversation) {
        return db.number("SELECT count(*) FROM activities WHERE conversation_id = ?", conversation);
    }

    private void isPurged() {
        assertThat(rows(doomed)).isZero();
        assertThat(db.number("SELECT count(*) FROM conversations WHERE id = ?", doomed))
                .isZero();
        assertThat(db.number("SELECT count(*) FROM tombstones WHERE kind = 'conversation' AND id = ?", doomed))
                .isEqualTo(1);
        assertThat(db.number("SELECT count(*) FROM purges WHERE finished_at IS NOT NULL AND activities = 12"
                        + " AND deliveries = 12 AND conversations = 1"))
                .isEqualTo(1);
        assertThat(rows(other)).isEqualTo(3);
        assertThat(db.number("SELECT count(*) FROM deliveries")).isEqualTo(3);
    }

    @Test
    @DisplayName(
            "ACT-12 deliveries and activities go in batches, the conversation last; others are untouched, its id stays refused")
    void purges() {
        delete();
        assertThat(rows(doomed)).isEqualTo(12);
        await(purging().worker().runOnce());
        isPurged();
        assertThat(await(conversations.create(TENANT, doomed, null, "{}")))
                .isInstanceOf(ConversationResult.Deleted.class);
        await(purging().worker().runOnce());
        isPurged();
    }

    @Test
    @DisplayName(
            "ACT-12 whoever died in the middle is taken over when his lease is over, and finds that out if he was only stopped")
    void takenOver() {
        delete();
        PurgeStore.Claimed stalled = await(PurgeStore.claim(db.database(), "stalled", Purging.LEASE, 0))
                .orElseThrow();
        await(db.database().transaction(connection -> PurgeStore.remove(connection, stalled, 5, Purging.LEASE)));
        await(purging().worker().runOnce());
        assertThat(rows(doomed)).as("his lease is not over").isEqualTo(7);
        db.clock().advance(Purging.LEASE.plus(Duration.ofSeconds(1)));
        PurgeStore.Claimed next =
                await(PurgeStore.claim(db.database(), "next", Purging.LEASE, 0)).orElseThrow();
        assertThat(holds(stalled)).isFalse();
        assertThat(holds(next)).isTrue();
        db.clock().advance(Purging.LEASE.plus(Duration.ofSeconds(1)));
        await(purging().worker().runOnce());
        isPurged();
    }

    @Test
    @DisplayName("ACT-12 ACT-14 a hold stops a purge, which says so, and goes on when the hold is over")
    void hold() {
        delete();
        db.execute("UPDATE tenants SET retention_hold_until = tailrace_now() + interval '1 day' WHERE id = ?", TENANT);
        await(purging().worker().runOnce());
        assertThat(rows(doomed)).isEqualTo(12);
        assertThat(db.value(String.class, "SELECT blocked_by FROM purges")).startsWith("on hold until ");
        db.execute("UPDATE tenants SET retention_hold_until = tailrace_now() - interval '1 second'");
        await(purging().worker().runOnce());
        isPurged();
    }
}
