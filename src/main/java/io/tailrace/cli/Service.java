package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.config.TailraceConfig;
import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.Function;

/** The parts of the service for the length of one command; nothing listens and no worker runs. */
final class Service {
    private static final Duration LONGEST = Duration.ofMinutes(2);

    private Service() {}

    /** What {@code ask} comes to; a failure comes as {@link CommandFailed}. */
    static <T> T ask(TailraceConfig config, String what, Function<Tailrace, Future<T>> ask) {
        Tailrace parts = Tailrace.create(config, false);
        try {
            return Waiting.on(ask.apply(parts), LONGEST, what);
        } catch (CommandFailed e) {
            Throwable cause = e.getCause();
            if (cause != null && DatabaseFailure.is(cause, DatabaseFailure.Kind.UNAVAILABLE)) {
                throw new CommandFailed(
                        what + " failed: PostgreSQL does not answer at "
                                + config.database().jdbcUrl() + "; see database.host and database.port",
                        e);
            }
            throw e;
        } finally {
            parts.close();
        }
    }
}
