package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.config.TailraceConfig;
import io.tailrace.partition.TableView;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the partitions of every maintained table. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Lists the partitions of every maintained table, with what keeps an expired one.",
        footer = {"", "Examples:", "  tailrace partitions list", "  tailrace partitions list --json"})
final class PartitionsListCommand implements Callable<Integer> {
    private static final long KIB = 1_024;

    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    PartitionsListCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        TailraceConfig config = settings.load(console);
        List<TableView> tables = Service.ask(config, "listing partitions", Tailrace::partitions);
        if (json) {
            console.out()
                    .println(Json.of(Map.of(
                            "tables",
                            tables.stream().map(PartitionsListCommand::fields).toList())));
            return 0;
        }
        Table lines = new Table("PARTITION", "FROM", "TO", "ROWS", "SIZE", "STATE", "KEPT BY");
        for (TableView table : tables) {
            table.partitions()
                    .forEach(one -> lines.row(
                            one.name(),
                            day(one.from()),
                            day(one.to()),
                            String.valueOf(one.rowsEstimate()),
                            size(one.bytes()),
                            one.state(),
                            one.blockedBy() == null ? "-" : one.blockedBy()));
        }
        lines.lines().forEach(console.out()::println);
        return 0;
    }

    private static Map<String, Object> fields(TableView table) {
        return Map.of(
                "table",
                table.table(),
                "period",
                table.period(),
                "partitions",
                table.partitions().stream().map(PartitionsListCommand::fields).toList());
    }

    private static Map<String, @Nullable Object> fields(TableView.PartitionView one) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("name", one.name());
        fields.put("from", one.from() == null ? null : one.from().toString());
        fields.put("to", one.to() == null ? null : one.to().toString());
        fields.put("rows_estimate", one.rowsEstimate());
        fields.put("bytes", one.bytes());
        fields.put("state", one.state());
        fields.put("blocked_by", one.blockedBy());
        return fields;
    }

    /** Bounds are midnights of UTC. */
    private static String day(@Nullable Instant bound) {
        return bound == null ? "-" : bound.toString().replace("T00:00:00Z", "");
    }

    static String size(long bytes) {
        return bytes < KIB * KIB ? bytes / KIB + " KiB" : bytes / (KIB * KIB) + " MiB";
    }
}
