package io.tailrace.http;

import io.tailrace.outbox.BatchRules;
import io.tailrace.outbox.Blobs;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * Blobs in and out. What is being received at one time is bounded for all of them together: a blob is one value to
 * PostgreSQL, so it has to be in memory whole.
 */
final class BlobRoutes {
    private static final String TEMPLATE = "/v1/outbox/blobs/{sha256}";
    private static final String DEFAULT_TYPE = "application/octet-stream";
    private static final int DIGEST_STEP = 64 * 1024;
    private static final Duration UPLOAD_TIMEOUT = Duration.ofMinutes(5);
    private static final Duration TRY_AGAIN = Duration.ofSeconds(2);

    private final Blobs blobs;
    private final UploadBudget budget;

    BlobRoutes(Blobs blobs, UploadBudget budget) {
        this.blobs = blobs;
        this.budget = budget;
    }

    List<Route> routes() {
        return List.of(
                new Route(HttpMethod.PUT, TEMPLATE, Set.of(Scope.OUTBOX), this::put),
                new Route(HttpMethod.GET, TEMPLATE, Set.of(Scope.OUTBOX, Scope.OPERATE), this::get));
    }

    private void put(Exchange exchange) {
        String sha256 = exchange.path("sha256");
        if (!BatchRules.isSha256(sha256)) {
            throw Problem.outside(ProblemCode.INVALID_FIELD, "path sha256", "must be 64 lower-case hexadecimal digits")
                    .rejection();
        }
        if (Compression.of(exchange.request().getHeader(HttpHeaders.CONTENT_ENCODING)) != Compression.NONE) {
            throw Problem.outside(
                            ProblemCode.UNSUPPORTED_MEDIA_TYPE,
                            "header content-encoding",
                            "is not supported here: the digest is of the bytes as they are sent")
                    .rejection();
        }
        String mediaType = mediaType(exchange);
        int reserved = BodyReader.announced(exchange.request(), BatchRules.MAX_BLOB_BYTES);
        if (!budget.take(reserved)) {
            exchange.fail(Problem.of(ProblemCode.OVERLOADED, "too many blobs are being received at the moment")
                    .retryAfter(TRY_AGAIN));
            return;
        }
        exchange.allow(UPLOAD_TIMEOUT);
        Future<Buffer> received = BodyReader.receive(exchange, BatchRules.MAX_BLOB_BYTES);
        Future<Boolean> kept = received.compose(
                        bytes -> exchange.blocking(() -> digest(bytes)).compose(digest -> {
                            if (!digest.equals(sha256)) {
                                throw Problem.outside(
                                                ProblemCode.INVALID_FIELD,
                                                "path sha256",
                                                "is not the digest of these bytes")
                                        .rejection();
                            }
                            return blobs.put(exchange.tenant(), sha256, mediaType, bytes);
                        }))
                .onComplete(done -> budget.giveBack(reserved));
        exchange.answer(
                kept,
                isNew -> exchange.json(isNew ? 201 : 200, out -> {
                    out.writeStartObject();
                    out.writeStringField("sha256", sha256);
                    out.writeNumberField("bytes", received.result().length());
                    out.writeEndObject();
                }));
    }

    private static String mediaType(Exchange exchange) {
        String type = exchange.request().getHeader(HttpHeaders.CONTENT_TYPE);
        if (type == null || type.isBlank()) {
            return DEFAULT_TYPE;
        }
        if (type.length() > BatchRules.MAX_MEDIA_TYPE) {
            throw Problem.outside(
                            ProblemCode.INVALID_FIELD,
                            "header content-type",
                            "must have at most " + BatchRules.MAX_MEDIA_TYPE + " characters")
                    .rejection();
        }
        return type;
    }

    private static String digest(Buffer bytes) throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (int from = 0; from < bytes.length(); from += DIGEST_STEP) {
            digest.update(bytes.getBytes(from, Math.min(bytes.length(), from + DIGEST_STEP)));
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private void get(Exchange exchange) {
        String sha256 = exchange.path("sha256");
        Future<Blobs.Description> found = (BatchRules.isSha256(sha256)
                        ? blobs.describe(exchange.tenant(), sha256)
                        : Future.succeededFuture(java.util.Optional.<Blobs.Description>empty()))
                .map(it -> it.orElseThrow(() -> Problem.of(ProblemCode.NOT_FOUND, "there is no such blob")
                        .rejection()));
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
