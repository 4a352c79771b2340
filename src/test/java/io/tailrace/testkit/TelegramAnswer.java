package io.tailrace.testkit;

import java.util.OptionalInt;

/** How a call to the Bot API ends. */
public sealed interface TelegramAnswer {
    /** 200 with the result that the method gives. */
    record Ok() implements TelegramAnswer {}

    /** 429; {@code retryAfterSeconds} absent: without the parameter, as some proxies answer. */
    record TooManyRequests(OptionalInt retryAfterSeconds) implements TelegramAnswer {}

    /** A refusal in Telegram's JSON: 400, 401, 403, 404, 409 … */
    record Refused(int status, String description) implements TelegramAnswer {}

    /** 5xx from whatever stands before Telegram, in HTML. */
    record GatewayError(int status) implements TelegramAnswer {}

    /** No answer, ever. */
    record Hang(boolean carriedOut) implements TelegramAnswer {}

    /** The connection is reset instead of an answer. */
    record Reset(boolean carriedOut) implements TelegramAnswer {}

    static TelegramAnswer ok() {
        return new Ok();
    }

    static TelegramAnswer chatNotFound() {
        return new Refused(400, "Bad Request: chat not found");
    }

    static TelegramAnswer blocked() {
        return new Refused(403, "Forbidden: bot was blocked by the user");
    }

    static TelegramAnswer badGateway() {
        return new GatewayError(502);
    }

    static TelegramAnswer hang() {
        return new Hang(false);
    }

    /** The call came to nothing. */
    static TelegramAnswer resetBefore() {
        return new Reset(false);
    }

    /** The message is in the chat, and the sender does not know. */
    static TelegramAnswer resetAfter() {
        return new Reset(true);
    }

    static TelegramAnswer retryAfter(int seconds) {
        return new TooManyRequests(OptionalInt.of(seconds));
    }

    /** Whether the call had its effect, so that a second one would be a double. */
    default boolean carriedOut() {
        return this instanceof Ok
                || (this instanceof Hang hang && hang.carriedOut)
                || (this instanceof Reset reset && reset.carriedOut);
    }
}
