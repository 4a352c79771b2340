package io.tailrace.http;

import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

/** Answers what Netty could not read as HTTP, and closes: where the next request would begin is anybody's guess. */
final class InvalidRequests {
    private InvalidRequests() {}

    static void answer(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        Problem problem;
        if (cause instanceof TooLongHttpLineException) {
            problem = Problem.of(ProblemCode.URI_TOO_LONG, "the request line is too long");
        } else if (cause instanceof TooLongHttpHeaderException || cause instanceof TooLongFrameException) {
            problem = Problem.of(ProblemCode.HEADERS_TOO_LARGE, "the headers are too large");
        } else {
            problem = Problem.of(ProblemCode.MALFORMED, "this is not well-formed HTTP");
        }
        request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        Exchange.write(request.response(), problem);
        request.connection().close();
    }
}
