package io.tailrace.http;

import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.Blobs;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.BlobBudget;
import io.tailrace.wire.BlobUpload;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Reply;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Blobs in and out. What is being received at one time is bounded for all of them together: a blob is one value to
 * PostgreSQL, so it has to be in memory whole.
 */
final class BlobRoutes {
    private static final String TEMPLATE = "/v1/outbox/blobs/{sha256}";
    private static final Duration UPLOAD_TIMEOUT = Duration.ofMinutes(5);

    private final Blobs blobs;
    private final BlobBudget budget;

    BlobRoutes(Blobs blobs, BlobBudget budget) {
        this.blobs = blobs;
        this.budget = budget;
    }

    List<Route> routes() {
        return List.of(
                new Route(HttpMethod.PUT, TEMPLATE, Set.of(Scope.OUTBOX), this::put),
                new Route(HttpMethod.GET, TEMPLATE, Set.of(Scope.OUTBOX, Scope.OPERATE), this::get));
    }

    private void put(Exchange exchange) {
        if (Compression.of(exchange.request().getHeader(HttpHeaders.CONTENT_ENCODING)) != Compression.NONE) {
            throw Problem.outside(
                            ProblemCode.UNSUPPORTED_MEDIA_TYPE,
                            "header content-encoding",
                            "is not supported here: the digest is of the bytes as they are sent")
                    .rejection();
        }
        BlobUpload upload = BlobUpload.of(
                exchange.path("sha256"), "path sha256", exchange.request().getHeader(HttpHeaders.CONTENT_TYPE));
        int reserved = BodyReader.announced(exchange.request(), BatchRules.MAX_BLOB_BYTES);
        if (!budget.take(reserved)) {
            exchange.fail(BlobBudget.overloaded());
            return;
        }
        exchange.allow(UPLOAD_TIMEOUT);
        Future<Reply> kept = BodyReader.receive(exchange, BatchRules.MAX_BLOB_BYTES)
                .compose(bytes -> exchange.blocking(() -> checked(upload, bytes)))
                .compose(bytes -> blobs.put(exchange.tenant(), upload.sha256(), upload.mediaType(), bytes)
                        .map(isNew -> upload.kept(isNew, bytes.length())))
                .onComplete(done -> budget.giveBack(reserved));
        exchange.answer(kept, exchange::reply);
    }

    private static Buffer checked(BlobUpload upload, Buffer bytes) {
        upload.check(bytes);
        return bytes;
    }

    private void get(Exchange exchange) {
        String sha256 = exchange.path("sha256");
        Future<Blobs.Description> found = (BatchRules.isSha256(sha256)
                        ? blobs.describe(exchange.tenant(), sha256)
                        : Future.succeededFuture(Optional.<Blobs.Description>empty()))
                .map(it -> it.orElseThrow(BlobUpload::noBlob));
        exchange.answer(found, blob -> stream(exchange, blob));
    }

    private void stream(Exchange exchange, Blobs.Description blob) {
        if (!exchange.open()) {
            return;
        }
        exchange.allow(UPLOAD_TIMEOUT);
        HttpServerResponse response = exchange.response();
        response.putHeader(HttpHeaders.CONTENT_TYPE, blob.mediaType())
                .putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(blob.bytes()))
                // The type is the uploader's word; a browser must not find another one in the bytes.
                .putHeader("x-content-type-options", "nosniff");
        blobs.read(exchange.tenant(), blob, piece -> response.closed() ? gone() : response.write(piece))
                .onComplete(done -> {
                    if (done.succeeded()) {
                        response.end();
                    } else {
                        // The head is out: cutting the connection is the only way left to say that this is not all.
                        response.reset();
                    }
                });
    }

    private static Future<Void> gone() {
        return Future.failedFuture("the client went away");
    }
}
