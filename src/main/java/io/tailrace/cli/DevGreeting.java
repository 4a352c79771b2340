package io.tailrace.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** What {@code dev} says when it is ready: where everything is, and what to try first. */
final class DevGreeting {
    private DevGreeting() {}

    static List<String> lines(DevFile dev, Path file, Path data, boolean kept, double seconds) {
        return List.of(
                "",
                String.format(Locale.ROOT, "Tailrace is ready, after %.1f s.", seconds),
                "",
                "  API          " + dev.url() + "/v1",
                "  Management   " + dev.adminUrl() + "   /readyz  /metrics  /admin",
                "  PostgreSQL   " + dev.jdbcUrl(),
                "  Data         " + data + (kept ? "  (kept)" : "  (removed at exit; --data-dir keeps it)"),
                "  API key      " + dev.key(),
                "  Admin token  " + dev.adminToken(),
                "  For programs " + file,
                "",
                "Put a message into the outbox, then claim it as a sender would:",
                "",
                "  curl -s " + dev.url() + "/v1/outbox/batches -H 'authorization: Bearer " + dev.key()
                        + "' -H 'content-type: application/json' -d '" + BATCH + "'",
                "",
                "  curl -s " + dev.url() + "/v1/outbox/claims -H 'authorization: Bearer " + dev.key()
                        + "' -H 'content-type: application/json' -d '" + CLAIM + "'",
                "",
                "Ctrl-C stops it.",
                "");
    }

    private static final String BATCH = "{\"batch_id\":\"hello:1\",\"parts\":[{\"bot_id\":\"7\",\"chat_id\":\"1001\","
            + "\"ordering_key\":\"dialog:7:1001:0\",\"method_kind\":\"sendMessage\",\"payload_version\":1,"
            + "\"payload\":{\"chat_id\":1001,\"text\":\"Hello\"},\"delivery_policy\":\"create\"}]}";
    private static final String CLAIM = "{\"worker_id\":\"sender-1\",\"limit\":10}";
}
