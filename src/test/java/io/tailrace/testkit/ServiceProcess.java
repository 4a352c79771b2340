package io.tailrace.testkit;

import io.tailrace.cli.embedded.LastWill;
import io.tailrace.config.DatabaseConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * One instance of the service, {@code Main serve}, as an operating-system process on free ports of loopback.
 *
 * <p>Ends with this JVM however that ends. What it printed is in {@link #log()}, and in the message of whatever goes wrong
 * here; {@link ServiceProcesses} shows it for a failed test.
 */
public final class ServiceProcess implements AutoCloseable {
    public static final String ADMIN_TOKEN = "test-admin-token-0123456789";

    private static final Duration LONGEST_START = Duration.ofSeconds(60);
    private static final Duration LONGEST_STOP = Duration.ofSeconds(45);
    private static final int TAIL = 40;
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Settings settings;
    private final Path output;
    private Process process;
    private LastWill will;

    /** How to run it. The same settings run it again on the same ports. */
    public static final class Settings {
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final int port = freePort();
        private final int managementPort = freePort();
        private String memory = "-Xmx256m";

        private Settings(DatabaseConfig database) {
            environment.put("TAILRACE_DATABASE_HOST", database.host());
            environment.put("TAILRACE_DATABASE_PORT", Integer.toString(database.port()));
            environment.put("TAILRACE_DATABASE_NAME", database.database());
            environment.put("TAILRACE_DATABASE_USER", database.user());
            environment.put("TAILRACE_DATABASE_PASSWORD", database.password().reveal());
            environment.put("TAILRACE_HTTP_HOST", "127.0.0.1");
            environment.put("TAILRACE_HTTP_PORT", Integer.toString(port));
            environment.put("TAILRACE_MANAGEMENT_PORT", Integer.toString(managementPort));
            environment.put("TAILRACE_MANAGEMENT_ADMIN_TOKEN", ADMIN_TOKEN);
        }

        /** One setting by its name in {@code conf/tailrace.yaml}: {@code outbox.group_commit.enabled}. */
        public Settings set(String key, String value) {
            return environment("TAILRACE_" + key.toUpperCase(Locale.ROOT).replace('.', '_'), value);
        }

        public Settings environment(String name, String value) {
            environment.put(name, value);
            return this;
        }

        /** An option of the JVM's heap, {@code -Xmx256m} if not said. */
        public Settings memory(String option) {
            memory = option;
            return this;
        }

        /** Starts it and waits until {@code /readyz} answers 200. */
        public ServiceProcess start() {
            ServiceProcess service = launch();
            service.awaitReady();
            return service;
        }

        /** Starts it and waits for nothing. */
        public ServiceProcess launch() {
            return new ServiceProcess(this);
        }
    }

    /** Settings for an instance on this database. */
    public static Settings on(DatabaseConfig database) {
        return new Settings(database);
    }

    private ServiceProcess(Settings settings) {
        this.settings = settings;
        try {
            this.output = Files.createTempFile("tailrace-test-service-", ".log");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.process = run();
        this.will = will();
    }

    private Process run() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(settings.memory);
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add("io.tailrace.Main");
        command.add("serve");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("TAILRACE_"));
        builder.environment().putAll(settings.environment);
        try {
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LastWill will() {
        try {
            return LastWill.write("kill -KILL \"$1\"; rm -f \"$2\"", Long.toString(pid()), output.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Runs it again, after it ended, on the same ports and with the same settings; waits until it is ready. */
    public void restart() {
        if (isAlive()) {
            throw new IllegalStateException("still running");
        }
        process = run();
        will = will();
        awaitReady();
    }

    /** The public address, without {@code /v1}. */
    public String url() {
        return "http://127.0.0.1:" + settings.port;
    }

    public String managementUrl() {
        return "http://127.0.0.1:" + settings.managementPort;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** The status of {@code /readyz}, 0 while nobody answers within two seconds. */
    public int readyStatus() {
        try {
            return HTTP.send(
                            HttpRequest.newBuilder(URI.create(managementUrl() + "/readyz"))
                                    .timeout(Duration.ofSeconds(2))
                                    .build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    /** Waits until {@code /readyz} answers 200; fails at once when the process has ended. */
    public void awaitReady() {
        await("ready", () -> readyStatus() == 200);
    }

    /** Waits until it has printed this. */
    public void awaitLog(String text) {
        await("said: " + text, () -> log().contains(text));
    }

    private void await(String what, Callable<Boolean> condition) {
        try {
            Awaitility.await(what)
                    .atMost(LONGEST_START)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> condition.call() || !isAlive());
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not " + what + " within " + LONGEST_START + tail(), e);
        }
        if (!isAlive()) {
            throw new AssertionError("ended before it was " + what + tail());
        }
    }

    /** Ends it as a crash does, and waits until it is gone. */
    public void kill9() {
        signal("KILL");
        exitCode();
    }

    /** Asks it to end in order. Does not wait: {@link #exitCode()} does. */
    public void sigterm() {
        signal("TERM");
    }

    /** Freezes it: its sockets stay open, its leases run on. */
    public void sigstop() {
        signal("STOP");
    }

    public void sigcont() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                    .redirectErrorStream(true)
                    .start();
            if (kill.waitFor() != 0 && isAlive()) {
                throw new IllegalStateException("kill -" + name + " failed: "
                        + new String(kill.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits for its end, longer than its own deadline for a shutdown, and gives its exit code: 137 after kill -9. */
    public int exitCode() {
        try {
            if (!process.waitFor(LONGEST_STOP.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError("still running after " + LONGEST_STOP + tail());
            }
            will.close();
            return process.exitValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** All that it has printed, over its restarts. */
    public String log() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The end of what it printed, for a failure's message. */
    public String tail() {
        List<String> lines = log().lines().toList();
        return "\n--- the last lines of the service on " + url() + ":\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size())) + "\n---";
    }

    /** Ends it, if it has not ended, without ceremony, and removes its output. */
    @Override
    public void close() {
        if (isAlive()) {
            kill9();
        }
        try {
            Files.deleteIfExists(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Below the range from which outgoing connections take theirs: under load a free one would not stay free. */
    private static int freePort() {
        IOException taken = new IOException("not tried");
        for (int tries = 0; tries < 100; tries++) {
            int port = ThreadLocalRandom.current().nextInt(15_000, 32_000);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                taken = e;
            }
        }
        throw new UncheckedIOException("no free port", taken);
    }
}
