package io.tailrace.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.testkit.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BlobStoreIT {
    @RegisterExtension
    static final TestDatabase DB = TestDatabase.create();

    private static final UUID TENANT = OutboxFixture.DEFAULT_TENANT;

    private static Buffer random(int bytes) {
        byte[] noise = new byte[bytes];
        new Random(bytes).nextBytes(noise);
        return Buffer.buffer(noise);
    }

    @Test
    @DisplayName("OUT-8 a blob is kept once, and read back piece by piece as it was")
    void roundTrip() {
        BlobStore blobs = new BlobStore(DB.database());
        String sha256 = "a".repeat(64);
        Buffer bytes = random(1_000_001);
        assertThat(TestDatabase.await(blobs.put(TENANT, sha256, "image/jpeg", bytes)))
                .isTrue();
        assertThat(TestDatabase.await(blobs.put(TENANT, sha256, "text/plain", bytes)))
                .isFalse();
        Blobs.Description found =
                TestDatabase.await(blobs.describe(TENANT, sha256)).orElseThrow();
        assertThat(found).isEqualTo(new Blobs.Description(sha256, "image/jpeg", 1_000_001));
        Buffer back = Buffer.buffer();
        List<Integer> pieces = new ArrayList<>();
        TestDatabase.await(blobs.read(TENANT, found, piece -> {
            pieces.add(piece.length());
            back.appendBuffer(piece);
            return Future.succeededFuture();
        }));
        assertThat(back).isEqualTo(bytes);
        assertThat(pieces).hasSizeGreaterThan(3).allMatch(size -> size <= 256 * 1024);
    }

    @Test
    @DisplayName("OUT-8 the largest blob fits")
    void largest() {
        BlobStore blobs = new BlobStore(DB.database());
        String sha256 = "b".repeat(64);
        Buffer bytes = random(BatchRules.MAX_BLOB_BYTES);
        assertThat(TestDatabase.await(blobs.put(TENANT, sha256, "video/mp4", bytes), java.time.Duration.ofSeconds(30)))
                .isTrue();
        assertThat(TestDatabase.await(blobs.describe(TENANT, sha256)))
                .hasValueSatisfying(it -> assertThat(it.bytes()).isEqualTo(BatchRules.MAX_BLOB_BYTES));
    }

    @Test
    @DisplayName("OUT-8 a blob is its tenant's, and an empty one has no pieces")
    void tenantsAndEmpty() {
        BlobStore blobs = new BlobStore(DB.database());
        String sha256 = "c".repeat(64);
        assertThat(TestDatabase.await(blobs.put(TENANT, sha256, "image/jpeg", Buffer.buffer())))
                .isTrue();
        assertThat(TestDatabase.await(blobs.describe(UUID.randomUUID(), sha256)))
                .isEmpty();
        TestDatabase.await(blobs.read(TENANT, new Blobs.Description(sha256, "image/jpeg", 0), piece -> {
            throw new AssertionError("there is nothing to read");
        }));
    }
}
