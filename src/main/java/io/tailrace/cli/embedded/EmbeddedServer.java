package io.tailrace.cli.embedded;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server on a free port of loopback, with trust authentication, from the binaries on the class path.
 *
 * <p>Its folder holds {@code data/} and {@code server.log}. Blocking.
 */
public final class EmbeddedServer implements AutoCloseable {
    public static final String HOST = "localhost";
    public static final String USER = "postgres";
    public static final String DATABASE = "postgres";

    private static final Duration LONGEST_START = Duration.ofSeconds(60);
    private static final int LINES_OF_LOG_SHOWN = 5;

    /**
     * $1 the folder, $2 the signal (QUIT where nobody will want the data, INT for a clean stop), $3 "remove" or "keep".
     */
    private static final String STOP = """
            pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
            if [ -n "$pid" ]; then
                kill "-$2" "$pid"
                tries=0
                while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
                kill -KILL "$pid" 2>/dev/null
            fi
            if [ "$3" = remove ]; then rm -rf "$1"; fi
            """;

    private final EmbeddedPostgres server;
    private final LastWill will;
    private final Path folder;
    private final boolean kept;

    private EmbeddedServer(EmbeddedPostgres server, LastWill will, Path folder, boolean kept) {
        this.server = server;
        this.will = will;
        this.folder = folder;
        this.kept = kept;
    }

    /**
     * Starts one; takes a second or two.
     *
     * @param keep where the data is, and stays; null for a temporary folder
     * @throws IOException saying what the server said when it did not start
     */
    public static EmbeddedServer start(@Nullable Path keep) throws IOException {
        Path folder = keep == null
                ? Files.createTempDirectory("tailrace-dev-")
                : Files.createDirectories(keep.toAbsolutePath().normalize());
        Path log = folder.resolve("server.log");
        LastWill will = LastWill.write(
                STOP, folder.toString(), keep == null ? "QUIT" : "INT", keep == null ? "remove" : "keep");
        try {
            EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .setDataDirectory(folder.resolve("data"))
                    .setCleanDataDirectory(false)
                    // Hooks run all at once, and the service must be able to finish its flushes first.
                    .setRegisterShutdownHook(false)
                    .setPGStartupWait(LONGEST_START)
                    .setOutputRedirector(Redirect.appendTo(log.toFile()))
                    .setErrorRedirector(Redirect.appendTo(log.toFile()))
                    .setLocaleConfig("locale", "C")
                    // The library turns both off; what is acknowledged here is as durable as anywhere.
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("max_wal_size", "2GB")
                    .start();
            return new EmbeddedServer(server, will, folder, keep != null);
        } catch (IOException | RuntimeException e) {
            throw new IOException(
                    "the embedded PostgreSQL did not start in " + folder + ": " + reason(log, e)
                            + " (is another one running there, or was the folder made by another version?)",
                    e);
        }
    }

    private static String reason(Path log, Exception cause) {
        try {
            List<String> lines = Files.readAllLines(log);
            if (!lines.isEmpty()) {
                return String.join(" / ", lines.subList(Math.max(0, lines.size() - LINES_OF_LOG_SHOWN), lines.size()));
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        return String.valueOf(cause.getMessage());
    }

    public int port() {
        return server.getPort();
    }

    /** For other programs, with the user in it. */
    public String jdbcUrl() {
        return "jdbc:postgresql://" + HOST + ":" + port() + "/" + DATABASE + "?user=" + USER;
    }

    /** Holds {@code data/} and {@code server.log}. */
    public Path folder() {
        return folder;
    }

    /** Stops it with a fast shutdown, at most 5 s, and removes its folder unless that is kept. */
    @Override
    public void close() throws IOException {
        server.close();
        if (Files.exists(folder.resolve("data/postmaster.pid"))) {
            // It did not stop in time: the will, which knows how to insist, is carried out when this process ends.
            return;
        }
        will.close();
        if (!kept) {
            remove();
        }
    }

    private void remove() throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }
}
