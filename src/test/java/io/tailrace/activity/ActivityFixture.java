package io.tailrace.activity;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.tailrace.activity.AppendResult.Replayed;
import io.tailrace.activity.AppendResult.Stored;
import io.tailrace.testkit.OpenTransaction;
import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A log on a test's database, and words to speak to it. */
final class ActivityFixture {
    static final UUID TENANT = UUID.fromString("00000000-0000-0000-0000-000000000001");

    final TestDatabase db;
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final Activities activities;
    final Conversations conversations;
    /** How often somebody was asked to make months. */
    final AtomicInteger asked = new AtomicInteger();

    ActivityFixture(TestDatabase db) {
        this(db, ActivitySettings.DEFAULT, () -> {});
    }

    ActivityFixture(TestDatabase db, ActivitySettings settings, Runnable missingPartition) {
        this.db = db;
        this.activities = new Activities(db.vertx(), db.database(), settings, meters, () -> {
            asked.incrementAndGet();
            missingPartition.run();
        });
        this.conversations = new Conversations(db.database());
    }

    static void empty(TestDatabase db) {
        // DELETE, because TRUNCATE makes new files for every partition and index.
        db.execute(
                "DELETE FROM activities; DELETE FROM deliveries; DELETE FROM conversations; DELETE FROM tombstones;"
                        + " DELETE FROM purges; DELETE FROM channels; UPDATE tenants SET status = 'active', retention_hold_until = NULL");
    }

    UUID conversation() {
        return conversation(TENANT, null);
    }

    UUID conversation(UUID tenant, @Nullable UUID id) {
        ConversationResult made = TestDatabase.await(conversations.create(tenant, id, null, "{}"));
        return ((ConversationResult.Created) made).conversation().id();
    }

    /** Another tenant, made by hand. */
    UUID tenant() {
        UUID id = UUID.randomUUID();
        db.execute("INSERT INTO tenants (id, name) VALUES (?, ?)", id, id.toString());
        return id;
    }

    static NewActivity message(UUID conversation, @Nullable String key, @Nullable String text) {
        return new NewActivity(conversation, "message", "user-1", text, "[]", "{}", key, null);
    }

    static NewActivity metadata(UUID conversation, @Nullable String key, String json) {
        return new NewActivity(conversation, "message", "user-1", "Hello", "[]", json, key, null);
    }

    Future<AppendResult> submit(NewActivity activity) {
        return activities.append(TENANT, activity);
    }

    AppendResult append(NewActivity activity) {
        return TestDatabase.await(submit(activity));
    }

    Activity store(UUID conversation, @Nullable String key) {
        return store(message(conversation, key, "Hello"));
    }

    Activity store(NewActivity activity) {
        return ((Stored) append(activity)).activity();
    }

    Activity replay(NewActivity activity) {
        return ((Replayed) append(activity)).activity();
    }

    List<Activity> log(UUID conversation) {
        return TestDatabase.await(activities.page(TENANT, conversation, 0, null, ActivityRules.MOST_ON_A_PAGE))
                .orElseThrow()
                .items();
    }

    /** Appends one activity in a transaction that stays open. */
    static void appendIn(OpenTransaction transaction, UUID conversation, @Nullable String key) {
        String code = transaction.text("""
                SELECT a.code FROM tailrace.append_activities(NULL, ARRAY [?::uuid], ARRAY [1], ARRAY [tailrace.default_tenant()],
                    ARRAY ['message'], ARRAY ['user-1'], ARRAY ['Hello'], ARRAY ['[]'], ARRAY ['{}'], ARRAY [?::text],
                    ARRAY [NULL::text]) a""", conversation, key);
        if (!code.equals("stored")) {
            throw new AssertionError("not stored: " + code);
        }
    }

    void close() {
        TestDatabase.await(activities.stop());
    }
}
