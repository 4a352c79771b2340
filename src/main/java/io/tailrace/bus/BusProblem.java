package io.tailrace.bus;

import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Optional;

/**
 * Why a request over the bus was not done. On the wire it is a {@link ReplyException} whose {@code failureCode()} is
 * HTTP's status and whose message is the problem as HTTP has it, {@code {"type": …, "status": 409, "code": "…", "detail":
 * "…", "errors": […]}}.
 *
 * @param code equals the problem code of HTTP
 * @param json the whole problem
 */
public record BusProblem(int status, String code, String detail, JsonObject json) {
    /** Empty when Tailrace did not answer: there is no handler, or the send timeout was over. */
    public static Optional<BusProblem> of(Throwable cause) {
        if (!(cause instanceof ReplyException failure)
                || failure.failureType() != ReplyFailure.RECIPIENT_FAILURE
                || failure.getMessage() == null) {
            return Optional.empty();
        }
        try {
            JsonObject json = new JsonObject(failure.getMessage());
            return Optional.of(new BusProblem(
                    failure.failureCode(), json.getString("code", ""), json.getString("detail", ""), json));
        } catch (DecodeException e) {
            return Optional.empty();
        }
    }
}
