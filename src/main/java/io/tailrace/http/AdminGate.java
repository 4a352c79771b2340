package io.tailrace.http;

import io.tailrace.config.Secret;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Lets in whoever presents the admin token, wherever the port is bound; nobody while none is configured. */
final class AdminGate implements Handler<RoutingContext> {
    private final boolean configured;
    private final byte[] tokenSha256;

    AdminGate(Secret token) {
        this.configured = !token.reveal().isEmpty();
        this.tokenSha256 = sha256(token.reveal());
    }

    @Override
    public void handle(RoutingContext context) {
        if (!configured) {
            Answers.fail(
                    context,
                    Problem.of(
                            ProblemCode.FORBIDDEN_SCOPE,
                            "administration is off: set management.admin_token, TAILRACE_MANAGEMENT_ADMIN_TOKEN or"
                                    + " TAILRACE_MANAGEMENT_ADMIN_TOKEN_FILE, and start again"));
            return;
        }
        String presented = Gate.presented(context.request().headers());
        if (presented == null || !isToken(presented)) {
            Answers.fail(
                    context,
                    Problem.of(
                            ProblemCode.UNAUTHORIZED,
                            presented == null
                                    ? "send Authorization: Bearer <admin token>"
                                    : "this is not the admin token"));
            return;
        }
        context.next();
    }

    /** Digests are as long as each other, so neither the token's text nor its length can be timed. */
    private boolean isToken(String presented) {
        return MessageDigest.isEqual(tokenSha256, sha256(presented));
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
