package io.tailrace.activity;

import static io.tailrace.activity.ActivityFixture.TENANT;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.OpenTransaction;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.time.ZoneOffset;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** One activity goes. */
class ActivityDeleteIT {
    private static final String DELIVERY = """
            INSERT INTO deliveries (id, tenant_id, activity_id, activity_inserted_at, channel_id, inserted_at, updated_at)
            VALUES (gen_random_uuid(), tailrace.default_tenant(), ?, ?, gen_random_uuid(), tailrace_now(), tailrace_now())""";

    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private ActivityFixture fixture;
    private UUID conversation;
    private Activity activity;

    @BeforeEach
    void open() {
        ActivityFixture.empty(db);
        fixture = new ActivityFixture(db);
        conversation = fixture.conversation();
        activity = fixture.store(conversation, "k");
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private Object[] delivery() {
        return new Object[] {activity.id(), activity.insertedAt().atOffset(ZoneOffset.UTC)};
    }

    private Future<DeleteResult> delete() {
        return fixture.activities.delete(TENANT, activity.id());
    }

    @Test
    @DisplayName(
            "ACT-14 deleting an activity deletes its deliveries; its seq stays unused, its key is free; a tombstone says it was")
    void deletes() {
        db.execute(DELIVERY, delivery());
        db.execute(DELIVERY, delivery());
        assertThat(await(delete())).isEqualTo(DeleteResult.DELETED);
        assertThat(await(fixture.activities.find(TENANT, activity.id()))).isEmpty();
        assertThat(db.number("SELECT count(*) FROM deliveries")).isZero();
        assertThat(db.number(
                        "SELECT count(*) FROM tombstones WHERE kind = 'activity' AND id = ? AND tenant_id = ?",
                        activity.id(),
                        TENANT))
                .isEqualTo(1);
        assertThat(await(delete())).isEqualTo(DeleteResult.NOT_FOUND);
        assertThat(fixture.store(conversation, "k").seq()).isEqualTo(2);
        assertThat(fixture.log(conversation)).extracting(Activity::seq).containsExactly(2L);
    }

    @Test
    @DisplayName("ACT-14 a hold refuses it until its time has come, and changes nothing")
    void hold() {
        db.execute("UPDATE tenants SET retention_hold_until = tailrace_now() + interval '1 day' WHERE id = ?", TENANT);
        assertThat(await(delete())).isEqualTo(DeleteResult.ON_HOLD);
        assertThat(await(fixture.activities.find(TENANT, activity.id()))).contains(activity);
        assertThat(db.number("SELECT count(*) FROM tombstones")).isZero();
        db.execute(
                "UPDATE tenants SET retention_hold_until = tailrace_now() - interval '1 second' WHERE id = ?", TENANT);
        assertThat(await(delete())).isEqualTo(DeleteResult.DELETED);
    }

    @Test
    @DisplayName("ACT-14 a hold that is just being set is waited for")
    void holdInTheMaking() {
        Future<DeleteResult> deleting;
        try (OpenTransaction setting = new OpenTransaction(db)) {
            setting.run(
                    "UPDATE tenants SET retention_hold_until = tailrace_now() + interval '1 day' WHERE id = ?", TENANT);
            deleting = delete();
            setting.awaitWaiter();
            setting.commit();
        }
        assertThat(await(deleting)).isEqualTo(DeleteResult.ON_HOLD);
    }

    @Test
    @DisplayName("ACT-14 a delivery that is just being made goes with its activity")
    void deliveryInTheMaking() {
        Future<DeleteResult> deleting;
        try (OpenTransaction making = new OpenTransaction(db)) {
            making.run("SELECT FROM activities WHERE id = ? FOR KEY SHARE", activity.id());
            making.run(DELIVERY, delivery());
            deleting = delete();
            making.awaitWaiter();
            making.commit();
        }
        assertThat(await(deleting)).isEqualTo(DeleteResult.DELETED);
        assertThat(db.number("SELECT count(*) FROM deliveries")).isZero();
    }

    @Test
    @DisplayName("ACT-14 a delete waits for an append to its conversation, and leaves the log as it was but for itself")
    void besideAnAppend() {
        Future<DeleteResult> deleting;
        try (OpenTransaction append = new OpenTransaction(db)) {
            ActivityFixture.appendIn(append, conversation, "k2");
            deleting = delete();
            append.awaitWaiter();
            append.commit();
        }
        assertThat(await(deleting)).isEqualTo(DeleteResult.DELETED);
        assertThat(fixture.log(conversation)).extracting(Activity::seq).containsExactly(2L);
    }
}
