package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Migrations;
import java.util.concurrent.Callable;
import org.flywaydb.core.api.FlywayException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Brings the database up to date. */
@Command(
        name = "migrate",
        mixinStandardHelpOptions = true,
        description = "Brings the schema to this version and makes the partitions of the days ahead.",
        footer = {"", "Examples:", "  tailrace migrate --config my.yaml", "  tailrace migrate --json"})
final class MigrateCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    MigrateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        TailraceConfig config = settings.load(console);
        int ran = migrate(config);
        if (json) {
            console.out().println("{\"migrations\":" + ran + "}");
        } else {
            console.out().println(ran == 0 ? "The schema was up to date." : ran + " migration(s) ran.");
        }
        return 0;
    }

    private static int migrate(TailraceConfig config) {
        try {
            return Migrations.migrate(config.database());
        } catch (FlywayException e) {
            throw new CommandFailed(
                    "the schema could not be brought up to date at "
                            + config.database().jdbcUrl() + ": " + e.getMessage(),
                    e);
        }
    }
}
