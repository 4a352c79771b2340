package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.config.TailraceConfig;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Runs the service until it is told to stop. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        description = "Runs the service. Starts while PostgreSQL is down, says so in /readyz, and recovers by itself.",
        footer = {
            "",
            "SIGTERM ends it in order: not ready, requests in hand answered, flushes finished, connections closed.",
            "",
            "Examples:",
            "  tailrace serve --config /etc/tailrace/tailrace.yaml",
            "  TAILRACE_DATABASE_HOST=db TAILRACE_DATABASE_PASSWORD_FILE=/run/secrets/db tailrace serve",
            "  tailrace serve --no-migrate --set http.port=9080"
        })
final class ServeCommand implements Callable<Integer> {
    private static final Duration LONGEST_LISTEN = Duration.ofSeconds(30);

    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Option(
            names = "--no-migrate",
            description = "Leaves the schema alone, and is not ready until `tailrace migrate` has run elsewhere.")
    private boolean leaveSchema;

    ServeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        TailraceConfig config = settings.load(console);
        UntilStopped process = new UntilStopped();
        try {
            Tailrace tailrace = Tailrace.create(config, !leaveSchema);
            process.hold(tailrace::close);
            Waiting.on(tailrace.start(), LONGEST_LISTEN, "starting");
        } catch (RuntimeException e) {
            process.end();
            throw e;
        }
        process.await();
        return 0;
    }
}
