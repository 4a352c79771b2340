package io.tailrace.cli;

import io.tailrace.app.Logging;
import io.tailrace.config.ConfigLoader;
import io.tailrace.config.TailraceConfig;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How every command is told its settings (CONF-1). */
final class SettingsOptions {
    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Settings file. Default: $TAILRACE_CONFIG, else conf/tailrace.yaml when it is there.")
    private @Nullable Path file;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Overrides one setting, for example --set database.pool_size=20. Repeatable.")
    private final Map<String, String> settings = new LinkedHashMap<>();

    /** The settings in force. Also sets up logging by them. */
    TailraceConfig load(Console console) {
        return load(console, Map.of());
    }

    /**
     * @param command what the command's own options say; {@code --set} wins over them
     */
    TailraceConfig load(Console console, Map<String, String> command) {
        Map<String, String> flags = new LinkedHashMap<>(command);
        flags.putAll(settings);
        TailraceConfig config = ConfigLoader.of(console.environment(), file).load(flags);
        Logging.apply(config.logs());
        return config;
    }
}
