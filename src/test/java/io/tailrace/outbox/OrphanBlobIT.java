package io.tailrace.outbox;

import static io.tailrace.outbox.OutboxFixture.DEFAULT_TENANT;
import static io.tailrace.outbox.OutboxFixture.part;
import static io.tailrace.outbox.OutboxFixture.withBlob;
import static io.tailrace.testkit.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OrphanBlobIT {
    @RegisterExtension
    static final TestDatabase db = TestDatabase.create();

    private OutboxFixture fixture;

    @BeforeEach
    void open() {
        OutboxFixture.empty(db);
        fixture = new OutboxFixture(db);
    }

    @AfterEach
    void close() {
        fixture.close();
        db.clock().reset();
    }

    private static String sha(int n) {
        return String.format("%064x", n);
    }

    private void put(int n) {
        await(new BlobStore(db.database()).put(DEFAULT_TENANT, sha(n), "image/jpeg", Buffer.buffer("x")));
    }

    private long blobs() {
        return db.number("SELECT count(*) FROM telegram_outbox_blobs");
    }

    private void later(Duration duration) {
        db.clock().advance(duration);
        fixture.run("outbox-tidy");
    }

    @Test
    @DisplayName(
            "OUT-8 a blob without a part is collected after a day, however many there are; one with a part is kept")
    void collected() {
        for (int i = 0; i < 120; i++) {
            put(i);
        }
        fixture.enqueue("b", part("k").with(it -> withBlob(it, new Batch.Blob(sha(7), "image/jpeg", null))));
        later(Duration.ofHours(23));
        assertThat(blobs()).isEqualTo(120);
        put(8);
        later(Duration.ofHours(2));
        assertThat(db.query("SELECT sha256 FROM telegram_outbox_blobs ORDER BY sha256"))
                .extracting(row -> row.get("sha256"))
                .containsExactly(sha(7), sha(8));
        later(Duration.ofHours(23));
        assertThat(blobs()).isEqualTo(1);
    }

    @Test
    @DisplayName("OUT-8 a blob that an uncommitted enqueue refers to is left alone")
    void pinned() {
        put(1);
        db.clock().advance(Duration.ofHours(25));
        try (RawTransaction enqueue = new RawTransaction(db)) {
            enqueue.run(
                    "SELECT * FROM tailrace.missing_blobs(ARRAY[?::uuid], ARRAY[1], ARRAY[0], ARRAY[?])",
                    DEFAULT_TENANT,
                    sha(1));
            fixture.run("outbox-tidy");
            assertThat(blobs()).isEqualTo(1);
        }
        fixture.run("outbox-tidy");
        assertThat(blobs()).isZero();
    }
}
