package io.tailrace.cli.embedded;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A shell script that runs once this JVM is gone, however it went: exit, {@code halt}, kill -9, out of memory.
 *
 * <p>A process of its own reads a pipe whose other end only this JVM holds; the kernel closes that end with the JVM, which
 * no shutdown hook can promise. It ignores the terminal's signals, so that Ctrl-C does not end it before us.
 */
public final class LastWill implements AutoCloseable {
    private static final String WAIT = "trap '' HUP INT TERM; if read -r revoked; then exit 0; fi; ";

    private final Process executor;

    private LastWill(Process executor) {
        this.executor = executor;
    }

    /** {@code arguments} are the script's {@code $1}, {@code $2} …; needs a POSIX {@code sh}. */
    public static LastWill write(String script, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("sh", "-c", WAIT + script, "last-will"));
        command.addAll(List.of(arguments));
        return new LastWill(new ProcessBuilder(command)
                .redirectOutput(Redirect.DISCARD)
                .redirectError(Redirect.DISCARD)
                .start());
    }

    /** Revokes it: what it would have ended has ended, and its process id may soon be somebody else's. */
    @Override
    public void close() throws IOException {
        try (OutputStream pipe = executor.getOutputStream()) {
            pipe.write("revoked\n".getBytes(StandardCharsets.US_ASCII));
        }
    }
}
