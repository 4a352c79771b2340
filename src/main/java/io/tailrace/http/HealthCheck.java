package io.tailrace.http;

import io.vertx.core.Future;
import java.util.function.Supplier;

/**
 * One entry of {@code /readyz}.
 *
 * <p>Asked at most once a second however many probes come, never twice at a time, and given two seconds. A failed Future
 * is shown as {@code error} and does not make the instance unready; what should, says so in its {@link CheckResult}.
 */
public interface HealthCheck {
    /** The entry's name on the wire, in snake_case. */
    String name();

    Future<CheckResult> check();

    /** A check that knows its answer at once. */
    static HealthCheck of(String name, Supplier<CheckResult> check) {
        return new HealthCheck() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Future<CheckResult> check() {
                return Future.succeededFuture(check.get());
            }
        };
    }
}
