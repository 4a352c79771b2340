package io.tailrace.cli;

import io.tailrace.app.PartitionPreview;
import io.tailrace.app.PartitionRuns;
import io.tailrace.app.Tailrace;
import io.tailrace.config.TailraceConfig;
import io.tailrace.partition.RemovalPreview;
import io.tailrace.partition.RemovalRun;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** One run of maintenance, or what it would do. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = {
            "Makes the partitions that are missing and removes those that have expired, now.",
            "When something would be removed it says what, and wants --yes."
        },
        footer = {"", "Examples:", "  tailrace partitions run --dry-run", "  tailrace partitions run --yes --json"})
final class PartitionsRunCommand implements Callable<Integer> {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Option(names = "--dry-run", description = "Only says what would be done, and what blocks it.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Removes what has expired without asking.")
    private boolean yes;

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    PartitionsRunCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        TailraceConfig config = settings.load(console);
        PartitionPreview preview = Service.ask(config, "looking at partitions", Tailrace::previewPartitions);
        boolean removes =
                preview.removed().stream().anyMatch(one -> one.blockedBy().isEmpty());
        if (dryRun || (removes && !yes)) {
            show(preview);
            if (!dryRun) {
                console.err()
                        .println(
                                "tailrace: partitions would be removed; say --yes to do it, or --dry-run to look only");
            }
            return dryRun ? 0 : TailraceCommand.ASKED_WRONGLY;
        }
        PartitionRuns runs = Service.ask(config, "running maintenance", parts -> parts.maintainPartitions(PATIENCE));
        return show(runs) ? 0 : TailraceCommand.FAILED;
    }

    private void show(PartitionPreview preview) {
        if (json) {
            console.out()
                    .println(Json.of(Map.of(
                            "made",
                            preview.made(),
                            "removed",
                            preview.removed().stream()
                                    .map(PartitionsRunCommand::fields)
                                    .toList())));
            return;
        }
        Table table = new Table("WOULD", "PARTITION", "ROWS", "SIZE", "BLOCKED BY", "WHY");
        preview.made().forEach(name -> table.row("make", name, "-", "-", "-", "its time is near"));
        preview.removed()
                .forEach(one -> table.row(
                        one.action(),
                        one.partition(),
                        String.valueOf(one.rows()),
                        PartitionsListCommand.size(one.bytes()),
                        one.blockedBy().isEmpty() ? "-" : String.join("; ", one.blockedBy()),
                        one.why()));
        if (preview.made().isEmpty() && preview.removed().isEmpty()) {
            console.out().println("Nothing to make and nothing to remove.");
        } else {
            table.lines().forEach(console.out()::println);
        }
    }

    private static Map<String, @Nullable Object> fields(RemovalPreview one) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("table", one.table());
        fields.put("partition", one.partition());
        fields.put("action", one.action());
        fields.put("from", one.from() == null ? null : one.from().toString());
        fields.put("to", one.to() == null ? null : one.to().toString());
        fields.put("rows_estimate", one.rows());
        fields.put("bytes", one.bytes());
        fields.put("blocked_by", one.blockedBy());
        fields.put("why", one.why());
        return fields;
    }

    /** True when nothing failed. */
    private boolean show(PartitionRuns runs) {
        List<String> made = runs.made().tables().stream()
                .flatMap(one -> one.created().stream())
                .toList();
        List<String> dropped = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        for (RemovalRun.TableRun one : runs.removed().tables()) {
            dropped.addAll(one.dropped());
            kept.addAll(one.blocked());
        }
        List<String> failures = new ArrayList<>();
        runs.made().failure().ifPresent(failures::add);
        runs.removed().failure().ifPresent(failures::add);
        boolean elsewhere = runs.made().anotherRuns() || runs.removed().anotherRuns();
        if (json) {
            console.out()
                    .println(Json.of(Map.of(
                            "made",
                            made,
                            "dropped",
                            dropped,
                            "kept",
                            kept,
                            "failures",
                            failures,
                            "another_runs",
                            elsewhere)));
        } else {
            made.forEach(name -> console.out().println("made    " + name));
            dropped.forEach(name -> console.out().println("dropped " + name));
            kept.forEach(name -> console.out().println("kept    " + name));
            failures.forEach(why -> console.err().println("failed  " + why));
            if (elsewhere) {
                console.out().println("Another instance is at it.");
            } else if (made.isEmpty() && dropped.isEmpty() && kept.isEmpty() && failures.isEmpty()) {
                console.out().println("Nothing to make and nothing to remove.");
            }
        }
        return failures.isEmpty();
    }
}
