package io.tailrace.config;

import java.util.Locale;
import java.util.Map;

/** Which variable sets which key. */
final class EnvironmentNames {
    static final String PREFIX = "TAILRACE_";
    /** Names the settings file; not a setting itself. */
    static final String FILE = "TAILRACE_CONFIG";

    static final String FROM_FILE = "_FILE";

    /** Names that installations of the origin already set. */
    static final Map<String, String> OF_ORIGIN = Map.of(
            "TELEGRAM_OUTBOX_RETENTION_DAYS", "outbox.retention_days",
            "TELEGRAM_OUTBOX_DEDUP_DAYS", "outbox.dedup_days");

    private EnvironmentNames() {}

    static String of(String key) {
        return PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** True for a name of ours that should therefore be a known one. */
    static boolean claims(String variable) {
        return variable.startsWith(PREFIX)
                && !variable.equals(FILE)
                && !variable.startsWith("TAILRACE_TEST_")
                && !isServiceLink(variable);
    }

    /** Kubernetes sets these in every pod beside a service named "tailrace"; they are nobody's setting. */
    private static boolean isServiceLink(String variable) {
        return variable.startsWith("TAILRACE_SERVICE_")
                || variable.equals("TAILRACE_PORT")
                || variable.startsWith("TAILRACE_PORT_");
    }
}
