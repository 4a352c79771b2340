package io.tailrace.bus;

import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.Blobs;
import io.tailrace.wire.BlobBudget;
import io.tailrace.wire.BlobUpload;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Blobs in and out, as the bytes that they are: a message holds one whole, and so does the memory. How many bytes are
 * under way at one time is bounded for all of them together.
 */
final class BlobOperations {
    private static final int OK = 200;

    private final Blobs blobs;
    private final BlobBudget budget;

    /** Bytes with what is said about them, which has been found true. */
    private record Blob(BlobUpload upload, Buffer bytes) {}

    BlobOperations(Blobs blobs, BlobBudget budget) {
        this.blobs = blobs;
        this.budget = budget;
    }

    List<Operation<?>> all() {
        return List.of(
                new Operation<>(
                        OutboxAddresses.PUT_BLOB,
                        "PUT /v1/outbox/blobs/{sha256}",
                        Operation.Body.BYTES,
                        (request, json) -> read(request),
                        this::put),
                Operation.json(
                        OutboxAddresses.GET_BLOB, "GET /v1/outbox/blobs/{sha256}", LookDecoder::blob, this::get));
    }

    private static Blob read(Operation.Request request) {
        BlobUpload upload = BlobUpload.of(
                request.headers().get(OutboxAddresses.SHA256_HEADER),
                "header " + OutboxAddresses.SHA256_HEADER,
                request.headers().get(OutboxAddresses.CONTENT_TYPE_HEADER));
        upload.check(request.body());
        return new Blob(upload, request.body());
    }

    private Future<Answer> put(UUID tenant, Blob blob) {
        int bytes = blob.bytes().length();
        return within(bytes, () -> blobs.put(
                        tenant, blob.upload().sha256(), blob.upload().mediaType(), blob.bytes())
                .map(isNew -> Answer.of(blob.upload().kept(isNew, bytes))));
    }

    private Future<Answer> get(UUID tenant, String sha256) {
        Future<Optional<Blobs.Description>> known =
                BatchRules.isSha256(sha256) ? blobs.describe(tenant, sha256) : Future.succeededFuture(Optional.empty());
        return known.compose(found -> {
            Blobs.Description blob = found.orElseThrow(BlobUpload::noBlob);
            return within(blob.bytes(), () -> whole(tenant, blob));
        });
    }

    private Future<Answer> whole(UUID tenant, Blobs.Description blob) {
        Buffer bytes = Buffer.buffer((int) blob.bytes());
        return blobs.read(tenant, blob, piece -> {
                    bytes.appendBuffer(piece);
                    return Future.succeededFuture();
                })
                .map(read -> new Answer(OK, bytes, blob.mediaType()));
    }

    private Future<Answer> within(long bytes, Supplier<Future<Answer>> work) {
        if (!budget.take(bytes)) {
            return Future.failedFuture(BlobBudget.overloaded().rejection());
        }
        return work.get().onComplete(done -> budget.giveBack(bytes));
    }
}
