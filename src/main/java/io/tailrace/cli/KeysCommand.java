package io.tailrace.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** API keys. */
@Command(
        name = "keys",
        mixinStandardHelpOptions = true,
        description = "Makes, lists and revokes API keys.",
        footer = {
            "",
            "Examples:",
            "  tailrace keys create sender --scope outbox --bot 7 --expires-in \"90 d\"",
            "  tailrace keys list",
            "  tailrace keys revoke <key id>"
        })
final class KeysCommand {
    private KeysCommand() {}

    static CommandLine commandLine(Console console) {
        return new CommandLine(new KeysCommand())
                .addSubcommand(new KeysCreateCommand(console))
                .addSubcommand(new KeysListCommand(console))
                .addSubcommand(new KeysRevokeCommand(console));
    }
}
