package io.tailrace.testkit;

import io.tailrace.cli.embedded.LastWill;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A server of our own in a temporary folder, from the binaries on the classpath. */
final class EmbeddedServer {
    static final String STOP_IMMEDIATELY = """
            pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
            if [ -n "$pid" ]; then
                kill -QUIT "$pid"
                tries=0
                while kill -0 "$pid" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
                kill -KILL "$pid" 2>/dev/null
            fi
            """;

    /** Nobody will want the data. The folder goes once the server let go of it. */
    static final String STOP_AND_REMOVE = STOP_IMMEDIATELY + "rm -rf \"$1\"\n";

    private EmbeddedServer() {}

    static PostgresServer.Address start() {
        try {
            Path folder = Files.createTempDirectory("tailrace-test-postgres-");
            LastWill.write(STOP_AND_REMOVE, folder.toString());
            Path log = folder.resolve("server.log");
            EmbeddedPostgres server = EmbeddedPostgres.builder()
                    .setDataDirectory(folder.resolve("data"))
                    .setRegisterShutdownHook(false)
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .setOutputRedirector(Redirect.appendTo(log.toFile()))
                    .setErrorRedirector(Redirect.appendTo(log.toFile()))
                    .setLocaleConfig("locale", "C")
                    .setServerConfig("max_connections", "200")
                    .setServerConfig("timezone", PostgresServer.ZONE)
                    .setServerConfig("log_lock_waits", "on")
                    // The library turns both off; a commit that costs nothing would hide what commits cost.
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("max_wal_size", "2GB")
                    .setServerConfig("shared_buffers", "256MB")
                    .start();
            return new PostgresServer.Address("localhost", server.getPort(), "postgres", "postgres", "");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
