package io.tailrace.testkit;

import io.tailrace.cli.embedded.LastWill;
import io.tailrace.config.DatabaseConfig;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server of a test's own that can be stopped and started again, with its data, at the same port. For tests
 * of outages; everything else shares {@link PostgresServer}.
 */
public final class RestartableServer implements AutoCloseable {
    private final Path folder;
    private final int port;
    private @Nullable EmbeddedPostgres server;

    private RestartableServer(Path folder, int port) {
        this.folder = folder;
        this.port = port;
    }

    /** A free port and a temporary folder; not started. */
    public static RestartableServer stopped() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Path folder = Files.createTempDirectory("tailrace-test-postgres-");
            LastWill.write(EmbeddedServer.STOP_AND_REMOVE, folder.toString());
            return new RestartableServer(folder, socket.getLocalPort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Blocks until it answers. */
    public void start() {
        Path log = folder.resolve("server.log");
        try {
            server = EmbeddedPostgres.builder()
                    .setPort(port)
                    .setDataDirectory(folder.resolve("data"))
                    .setCleanDataDirectory(false)
                    .setRegisterShutdownHook(false)
                    .setPGStartupWait(Duration.ofSeconds(60))
                    .setOutputRedirector(Redirect.appendTo(log.toFile()))
                    .setErrorRedirector(Redirect.appendTo(log.toFile()))
                    .setLocaleConfig("locale", "C")
                    // The library turns these off: what was acknowledged would be lost with the server.
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("full_page_writes", "on")
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Blocks until it is down; whoever is connected is cut off. */
    public void stop() {
        EmbeddedPostgres stopping = server;
        server = null;
        if (stopping != null) {
            try {
                stopping.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The same without ceremony (SIGQUIT), as a crash of the machine leaves it: the next start has to recover. */
    public void stopImmediately() {
        try {
            Process quit = new ProcessBuilder("sh", "-c", EmbeddedServer.STOP_IMMEDIATELY, "quit", folder.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.DISCARD)
                    .start();
            quit.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        stop();
    }

    public DatabaseConfig config() {
        return DatabaseConfig.at("127.0.0.1", port, "postgres", "postgres", "");
    }

    /** Stops it; its folder goes with this JVM. */
    @Override
    public void close() {
        stop();
    }
}
