package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Migrations;
import io.tailrace.partition.MaintenanceRun;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    /** Partition DDL gives way to long transactions; this is how long it is tried again. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

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
        MaintenanceRun run = Service.ask(config, "making partitions", parts -> parts.makePartitions(PATIENCE));
        if (json) {
            console.out().println(Json.of(fields(ran, run)));
        } else {
            print(ran, run);
        }
        return 0;
    }

    private static Map<String, Object> fields(int ran, MaintenanceRun run) {
        List<Map<String, Object>> tables = run.tables().stream()
                .map(table -> Map.<String, Object>of(
                        "table", table.table(), "created", table.created(), "days_ahead", table.daysAhead()))
                .toList();
        return Map.of("migrations", ran, "tables", tables);
    }

    private void print(int ran, MaintenanceRun run) {
        console.out().println(ran == 0 ? "The schema was up to date." : ran + " migration(s) ran.");
        if (run.anotherRuns()) {
            console.out().println("Partitions are there; another instance looks after them.");
            return;
        }
        Table table = new Table("TABLE", "PARTITIONS MADE", "DAYS AHEAD");
        run.tables()
                .forEach(one ->
                        table.row(one.table(), String.valueOf(one.created().size()), String.valueOf(one.daysAhead())));
        table.lines().forEach(console.out()::println);
    }

    private static int migrate(TailraceConfig config) {
        try {
            return Migrations.migrate(config.database());
        } catch (FlywayException e) {
            throw new CommandFailed(
                    "the schema could not be brought up to date at "
                            + config.database().jdbcUrl() + ": " + firstLine(e),
                    e);
        }
    }

    /** What follows is a frame of dashes and the same again. */
    private static String firstLine(FlywayException e) {
        return String.valueOf(e.getMessage()).strip().lines().findFirst().orElse("no reason given");
    }
}
