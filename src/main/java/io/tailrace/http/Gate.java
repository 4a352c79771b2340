package io.tailrace.http;

import io.tailrace.tenant.Caller;
import io.tailrace.tenant.Scope;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lets a request in: a live key, requests left, one of the scopes that the route wants. Reads no body. */
final class Gate {
    private static final String BEARER = "Bearer ";
    private static final CharSequence API_KEY = HttpHeaders.createOptimized("x-api-key");
    private static final CharSequence LIMIT = HttpHeaders.createOptimized("ratelimit-limit");
    private static final CharSequence REMAINING = HttpHeaders.createOptimized("ratelimit-remaining");
    private static final CharSequence RESET = HttpHeaders.createOptimized("ratelimit-reset");

    private final Authenticator authenticator;
    private final RateLimits rates;

    Gate(Authenticator authenticator, RateLimits rates) {
        this.authenticator = authenticator;
        this.rates = rates;
    }

    /** Runs the route's action with its caller, or answers with the problem. */
    void pass(Exchange exchange) {
        if (exchange.route().open()) {
            exchange.act();
            return;
        }
        String presented = presented(exchange.request().headers());
        if (presented == null) {
            exchange.fail(
                    Problem.of(ProblemCode.UNAUTHORIZED, "send Authorization: Bearer <key>, or x-api-key: <key>"));
            return;
        }
        Future<Optional<Caller>> who = authenticator.authenticate(presented);
        if (who.isComplete()) {
            admit(exchange, who);
        } else {
            // Until somebody listens to it, the body would be lost.
            exchange.request().pause();
            who.onComplete(done -> {
                admit(exchange, who);
                exchange.request().resume();
            });
        }
    }

    private void admit(Exchange exchange, Future<Optional<Caller>> who) {
        if (who.failed()) {
            exchange.fail(who.cause());
            return;
        }
        Optional<Caller> caller = who.result();
        if (caller.isEmpty()) {
            exchange.fail(Problem.of(ProblemCode.UNAUTHORIZED, "the key is not known, was revoked, or has expired"));
        } else if (withinRate(exchange, caller.get())) {
            if (hasScope(exchange, caller.get())) {
                exchange.caller(caller.get());
                exchange.act();
            } else {
                exchange.fail(Problem.of(
                        ProblemCode.FORBIDDEN_SCOPE,
                        "the key needs the scope "
                                + exchange.route().anyOf().stream()
                                        .map(Scope::code)
                                        .sorted()
                                        .collect(Collectors.joining(" or "))));
            }
        }
    }

    private boolean withinRate(Exchange exchange, Caller caller) {
        if (rates.off()) {
            return true;
        }
        RateLimits.Verdict verdict = rates.take(caller.keyId());
        exchange.response()
                .putHeader(LIMIT, Integer.toString(verdict.limit()))
                .putHeader(REMAINING, Integer.toString(verdict.remaining()))
                .putHeader(RESET, verdict.allowed() ? "1" : Long.toString(verdict.waitSeconds()));
        if (!verdict.allowed()) {
            exchange.fail(
                    Problem.of(ProblemCode.RATE_LIMITED, "this key may make " + verdict.limit() + " requests a second")
                            .retryAfter(Duration.ofSeconds(verdict.waitSeconds())));
        }
        return verdict.allowed();
    }

    private static boolean hasScope(Exchange exchange, Caller caller) {
        for (Scope scope : exchange.route().anyOf()) {
            if (caller.has(scope)) {
                return true;
            }
        }
        return false;
    }

    static @Nullable String presented(MultiMap headers) {
        String authorization = headers.get(HttpHeaders.AUTHORIZATION);
        if (authorization == null) {
            return headers.get(API_KEY);
        }
        return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                ? authorization.substring(BEARER.length()).trim()
                : null;
    }
}
