package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.batch;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The lock of a batch by itself: without the days' unique indexes, which would hide that it is missing. */
class OutboxBatchLockIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeAll
    static void withoutBackstop() {
        for (Map<String, ?> index : db.query("""
                SELECT i.indexrelid::regclass::text AS name FROM pg_inherits h JOIN pg_index i ON i.indrelid = h.inhrelid
                 WHERE h.inhparent = 'telegram_outbox'::regclass AND i.indisunique AND NOT i.indisprimary""")) {
            db.execute("DROP INDEX " + index.get("name"));
        }
    }

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        fixture = new OutboxFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** The second enqueue of a batch whose first is committed only after the second has come to wait, or is through. */
    private EnqueueResult secondOf(String firstKey, String secondKey) {
        Future<EnqueueResult> second;
        try (RawTransaction first = new RawTransaction(db)) {
            first.enqueue("b", firstKey);
            second = fixture.outbox.enqueue(DEFAULT_TENANT, batch("b", part(secondKey)));
            first.awaitWaiterOr(second::isComplete);
            first.commit();
        }
        return await(second);
    }

    @Test
    @DisplayName("OUT-2 a second enqueue of a batch sees the first one's parts once that one is committed")
    void sameKeys() {
        assertThat(secondOf("k", "k"))
                .isInstanceOfSatisfying(EnqueueResult.Stored.class, stored -> assertThat(stored.anyInserted())
                        .isFalse());
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-6 a batch is stored once although its two enqueues share no key")
    void otherKeys() {
        assertThat(secondOf("k", "other"))
                .isInstanceOfSatisfying(EnqueueResult.Refused.class, refused -> assertThat(refused.code())
                        .isEqualTo("idempotency_conflict"));
        assertThat(db.number("SELECT count(*) FROM telegram_outbox")).isEqualTo(1);
    }
}
