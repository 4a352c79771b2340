package io.tailrace.http;

import io.tailrace.config.HttpConfig;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.tailrace.wire.StrictJson;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Receives bodies within their limits. What is small and plain is decoded on the event loop, everything else on the
 * workers. A body that is refused half way is drained and forgotten, so that its sender can read the answer.
 */
final class BodyReader {
    private static final String APPLICATION_JSON = "application/json";
    private static final String CONTINUE = "100-continue";

    /** Larger bodies are decoded on a worker: an event loop that parses a megabyte serves nobody meanwhile. */
    private static final int INLINE_BYTES = 64 * 1024;

    /** Makes a value of a whole body that need not be one JSON value. */
    interface Decoder<T> {
        T decode(byte[] body, StrictJson json);
    }

    private final int maxBytes;
    private final int maxExpandedBytes;
    private final int maxRatio;
    private final StrictJson json;
    private final WorkerExecutor workers;

    BodyReader(HttpConfig.Limits limits, WorkerExecutor workers) {
        this.maxBytes = limits.body().intBytes();
        this.maxExpandedBytes = limits.decompressed().intBytes();
        this.maxRatio = limits.decompressionRatio();
        this.json = new StrictJson(limits.jsonDepth());
        this.workers = workers;
    }

    /** A body of {@code application/json}. */
    <T> Future<T> json(Exchange exchange, StrictJson.Decoder<T> decoder) {
        return jsonBytes(exchange, (body, strict) -> strict.read(body, decoder));
    }

    /** The same for a decoder that wants its bytes. */
    <T> Future<T> jsonBytes(Exchange exchange, Decoder<T> decoder) {
        HttpServerRequest request = exchange.request();
        if (!APPLICATION_JSON.equals(mediaType(request))) {
            return Future.failedFuture(Problem.outside(
                            ProblemCode.UNSUPPORTED_MEDIA_TYPE, "header content-type", "must be application/json")
                    .rejection());
        }
        return decoded(exchange, decoder);
    }

    /** A body of a type that the caller has checked. */
    <T> Future<T> decoded(Exchange exchange, Decoder<T> decoder) {
        HttpServerRequest request = exchange.request();
        Compression compression = Compression.of(request.getHeader(HttpHeaders.CONTENT_ENCODING));
        if (compression == null) {
            return Future.failedFuture(Problem.outside(
                            ProblemCode.UNSUPPORTED_MEDIA_TYPE, "header content-encoding", "must be gzip or zstd")
                    .rejection());
        }
        return receive(exchange, maxBytes).compose(body -> {
            if (compression == Compression.NONE && body.length() <= INLINE_BYTES) {
                return Future.succeededFuture(decoder.decode(body.getBytes(), json));
            }
            return blocking(
                    () -> decoder.decode(compression.expand(body.getBytes(), maxExpandedBytes, maxRatio), json));
        });
    }

    <T> Future<T> blocking(Callable<T> work) {
        return workers.executeBlocking(work, false);
    }

    /** All bytes of a body, at most {@code maxBytes}. */
    static Future<Buffer> receive(Exchange exchange, int maxBytes) {
        HttpServerRequest request = exchange.request();
        int announced;
        try {
            announced = announced(request, maxBytes);
        } catch (Rejection e) {
            return Future.failedFuture(e);
        }
        if (CONTINUE.equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
            exchange.response().writeContinue();
        }
        Receiver receiver = new Receiver(announced);
        request.handler(receiver::chunk).exceptionHandler(receiver::broken).endHandler(end -> receiver.complete());
        return receiver.promise.future();
    }

    /** The type without its parameters, in lower case; empty when it has a charset that is not UTF-8. */
    static @Nullable String mediaType(HttpServerRequest request) {
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        if (type == null || type.equals(APPLICATION_JSON)) {
            return type;
        }
        String[] parts = type.toLowerCase(Locale.ROOT).split(";", -1);
        for (int i = 1; i < parts.length; i++) {
            String parameter = parts[i].trim();
            if (parameter.startsWith("charset=") && !parameter.replace("\"", "").equals("charset=utf-8")) {
                return "";
            }
        }
        return parts[0].trim();
    }

    /**
     * How many bytes the body has, or may have when it does not say.
     *
     * @throws Rejection when it says more than {@code maxBytes}
     */
    static int announced(HttpServerRequest request, int maxBytes) {
        String text = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (text == null) {
            return maxBytes;
        }
        try {
            long length = Long.parseLong(text.trim());
            if (length <= maxBytes) {
                return (int) length;
            }
        } catch (NumberFormatException e) {
            // Netty refuses what is not a number before it comes here; more digits than a long has is too large.
        }
        throw tooLarge(maxBytes);
    }

    private static Rejection tooLarge(int maxBytes) {
        return Problem.of(ProblemCode.TOO_LARGE, "the body is larger than " + maxBytes + " bytes")
                .rejection();
    }

    /** One body on its way in. */
    private static final class Receiver {
        private final int maxBytes;
        private final Promise<Buffer> promise = Promise.promise();
        private @Nullable Buffer body;
        private boolean appendable;

        Receiver(int maxBytes) {
            this.maxBytes = maxBytes;
        }

        void chunk(Buffer chunk) {
            if (promise.future().isComplete()) {
                return;
            }
            if (body == null) {
                body = chunk;
            } else {
                if (!appendable) {
                    body = Buffer.buffer(Math.min(maxBytes, 4 * (body.length() + chunk.length())))
                            .appendBuffer(body);
                    appendable = true;
                }
                body.appendBuffer(chunk);
            }
            if (body.length() > maxBytes) {
                body = null;
                promise.tryFail(tooLarge(maxBytes));
            }
        }

        void broken(Throwable cause) {
            promise.tryFail(Problem.of(ProblemCode.MALFORMED, "the body broke off or is not well-formed HTTP")
                    .rejection());
        }

        void complete() {
            promise.tryComplete(body == null ? Buffer.buffer() : body);
        }
    }
}
