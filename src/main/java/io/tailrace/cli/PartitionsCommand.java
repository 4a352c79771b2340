package io.tailrace.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Partitions: what is there, what would be made and removed, and doing it now. */
@Command(
        name = "partitions",
        mixinStandardHelpOptions = true,
        description = "Lists partitions, makes those that are missing, and removes those that have expired.",
        footer = {
            "",
            "Examples:",
            "  tailrace partitions list",
            "  tailrace partitions run --dry-run",
            "  tailrace partitions run --yes"
        })
final class PartitionsCommand {
    private PartitionsCommand() {}

    static CommandLine commandLine(Console console) {
        return new CommandLine(new PartitionsCommand())
                .addSubcommand(new PartitionsListCommand(console))
                .addSubcommand(new PartitionsRunCommand(console));
    }
}
