package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Revokes a key. */
@Command(
        name = "revoke",
        mixinStandardHelpOptions = true,
        description = "Revokes an API key for good; every instance refuses it within a second.",
        footer = {"", "Examples:", "  tailrace keys revoke <key id>"})
final class KeysRevokeCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Parameters(paramLabel = "KEY_ID", description = "As `tailrace keys list` shows it.")
    private String keyId = "";

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    KeysRevokeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        TailraceConfig config = settings.load(console);
        boolean known =
                Service.ask(config, "revoking the key", parts -> parts.keys().revoke(keyId));
        if (!known) {
            throw new CommandFailed("there is no key " + keyId + "; see `tailrace keys list`");
        }
        console.out().println(json ? Json.of(Map.of("key_id", keyId, "revoked", true)) : "Revoked " + keyId + ".");
        return 0;
    }
}
