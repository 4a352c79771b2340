package io.tailrace.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The outbox as its operator sees it, straight on the database: no service has to run. */
@Command(
        name = "outbox",
        mixinStandardHelpOptions = true,
        description = {
            "Looks at the outbox, and retries, cancels and pauses: what the API's scope operate may, on the database itself.",
            "For one tenant at a time. Payloads and receipts are shown only with --with-content."
        },
        footer = {
            "",
            "Examples:",
            "  tailrace outbox stats",
            "  tailrace outbox list --state dead_letter --bot 7",
            "  tailrace outbox show <id> --attempts",
            "  tailrace outbox blocked",
            "  tailrace outbox retry <id> <id>",
            "  tailrace outbox cancel <id> --yes",
            "  tailrace outbox redrive --state dead_letter --dry-run",
            "  tailrace outbox pause 7 --until 2026-12-01T12:00:00Z"
        })
final class OutboxCommand {
    private OutboxCommand() {}

    static CommandLine commandLine(Console console) {
        return new CommandLine(new OutboxCommand())
                .addSubcommand(new OutboxStatsCommand(console))
                .addSubcommand(new OutboxListCommand(console))
                .addSubcommand(new OutboxShowCommand(console))
                .addSubcommand(new OutboxBlockedCommand(console))
                .addSubcommand(new OutboxRetryCommand(console))
                .addSubcommand(new OutboxCancelCommand(console))
                .addSubcommand(new OutboxRedriveCommand(console))
                .addSubcommand(new OutboxPauseCommand(console))
                .addSubcommand(new OutboxResumeCommand(console));
    }
}
