package io.tailrace.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A shell script that is carried out once this JVM is gone, however it went: exit, {@code halt}, kill -9, out of memory.
 *
 * <p>The script waits in a process of its own, reading a pipe whose other end only this JVM holds. The kernel closes that
 * end with the JVM, which is what a shutdown hook cannot promise. It ignores the signals of the terminal, so an
 * interrupted build is cleaned up too. Needs a POSIX {@code sh}.
 */
final class LastWill implements AutoCloseable {
    /** A line on the pipe revokes the will; its end carries it out. */
    private static final String WAIT = "trap '' HUP INT TERM; if read -r revoked; then exit 0; fi; ";

    private final Process executor;

    private LastWill(Process executor) {
        this.executor = executor;
    }

    /** Writes the will; {@code arguments} are the script's {@code $1}, {@code $2} …. */
    static LastWill write(String script, String... arguments) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", WAIT + script, "last-will"));
        command.addAll(List.of(arguments));
        try {
            return new LastWill(new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Revokes it: what it would have ended has ended, and its process id may soon be somebody else's. */
    @Override
    public void close() {
        try (OutputStream pipe = executor.getOutputStream()) {
            pipe.write("revoked\n".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
