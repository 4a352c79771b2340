package io.tailrace.config;

import java.util.Set;

/**
 * Logs (OPS-2).
 *
 * @param json one JSON object a line instead of plain text
 * @param level of Tailrace's own classes
 */
public record LogsConfig(boolean json, String level) {
    private static final Set<String> LEVELS = Set.of("ERROR", "WARN", "INFO", "DEBUG", "TRACE");

    public LogsConfig {
        new Checks()
                .that(
                        LEVELS.contains(level),
                        "level",
                        "must be ERROR, WARN, INFO, DEBUG or TRACE, but is \"" + level + "\"")
                .done();
    }
}
