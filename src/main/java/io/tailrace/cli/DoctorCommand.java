package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.config.TailraceConfig;
import io.tailrace.db.Migrations;
import io.tailrace.doctor.Diagnosis;
import io.tailrace.doctor.Diagnosis.Severity;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flywaydb.core.api.FlywayException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Looks at the database and says what to do. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = {
            "Looks at everything in the database that Tailrace depends on, and says what to do. Changes nothing.",
            "Exits with 1 when something is an error."
        },
        footer = {"", "Examples:", "  tailrace doctor --config my.yaml", "  tailrace doctor --json"})
final class DoctorCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    DoctorCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        TailraceConfig config = settings.load(console);
        List<Diagnosis> found = pending(config) > 0
                ? List.of(new Diagnosis(
                        Severity.ERROR, "schema", pending(config) + " migration(s) have not run", "tailrace migrate"))
                : Service.ask(config, "looking at the database", Tailrace::examine);
        if (json) {
            console.out()
                    .println(Json.of(Map.of(
                            "diagnoses",
                            found.stream()
                                    .map(one -> Map.of(
                                            "severity", word(one.severity()),
                                            "about", one.about(),
                                            "detail", one.detail(),
                                            "what_to_do", one.whatToDo()))
                                    .toList())));
        } else if (found.isEmpty()) {
            console.out().println("Nothing to complain about.");
        } else {
            Table table = new Table("SEVERITY", "ABOUT", "WHAT", "WHAT TO DO");
            found.forEach(one -> table.row(word(one.severity()), one.about(), one.detail(), one.whatToDo()));
            table.lines().forEach(console.out()::println);
        }
        return found.stream().anyMatch(one -> one.severity() == Severity.ERROR) ? TailraceCommand.FAILED : 0;
    }

    private static int pending(TailraceConfig config) {
        try {
            return Migrations.pending(config.database());
        } catch (FlywayException e) {
            throw new CommandFailed(
                    "the schema cannot be looked at, at " + config.database().jdbcUrl() + ": "
                            + String.valueOf(e.getMessage())
                                    .strip()
                                    .lines()
                                    .findFirst()
                                    .orElse("no reason given"),
                    e);
        }
    }

    private static String word(Severity severity) {
        return severity.name().toLowerCase(Locale.ROOT);
    }
}
