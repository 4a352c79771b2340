package io.tailrace.http;

import io.vertx.core.json.JsonObject;
import java.util.Locale;

/**
 * What a check found.
 *
 * @param ready false takes this instance out of service: only PostgreSQL out of reach or a missing current partition
 *     should, because what the fleet shares must not take every instance out
 * @param details further members of the entry, such as why, and when it last ran
 */
public record CheckResult(Status status, boolean ready, JsonObject details) {
    /** From good to bad. */
    public enum Status {
        OK,
        DEGRADED,
        /** It has not run for longer than it should. */
        STALE,
        ERROR;

        /** As on the wire. */
        String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static CheckResult ok() {
        return new CheckResult(Status.OK, true, new JsonObject());
    }

    /** Late or less than it should be, in words. */
    public static CheckResult degraded(String detail) {
        return new CheckResult(Status.DEGRADED, true, new JsonObject().put("detail", detail));
    }

    /** Broken, in words, though requests can still be served. */
    public static CheckResult error(String detail) {
        return new CheckResult(Status.ERROR, true, new JsonObject().put("detail", detail));
    }

    /** Broken, in words, and this instance should get no requests until it is mended. */
    public static CheckResult unready(String detail) {
        return new CheckResult(Status.ERROR, false, new JsonObject().put("detail", detail));
    }
}
