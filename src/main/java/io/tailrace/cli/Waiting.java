package io.tailrace.cli;

import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Blocks a command's own thread until a Future completes. */
final class Waiting {
    private Waiting() {}

    /** The result; a failure comes as {@link CommandFailed}. */
    static <T> T on(Future<T> future, Duration timeout, String what) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new CommandFailed(what + " failed: " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new CommandFailed(what + " took longer than " + timeout.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailed(what + " was interrupted", e);
        }
    }
}
