package io.tailrace.cli;

import io.tailrace.config.TailraceConfig;
import io.tailrace.tenant.ApiKey;
import io.tailrace.tenant.ApiKeys;
import io.tailrace.tenant.Scope;
import io.tailrace.tenant.Tenant;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists a tenant's keys. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Lists a tenant's keys, expired and revoked ones too. Their secrets are not stored.",
        footer = {"", "Examples:", "  tailrace keys list", "  tailrace keys list --json"})
final class KeysListCommand implements Callable<Integer> {
    private static final int PAGE = 500;

    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Option(names = "--tenant", paramLabel = "ID", description = "Whose. Default: the default tenant.")
    private UUID tenant = Tenant.DEFAULT;

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    KeysListCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        TailraceConfig config = settings.load(console);
        List<ApiKey> keys = Service.ask(config, "listing keys", parts -> all(parts.keys(), new ArrayList<>()));
        if (json) {
            console.out()
                    .println(Json.of(Map.of(
                            "items", keys.stream().map(KeysListCommand::fields).toList())));
        } else {
            Table table = new Table("KEY ID", "NAME", "SCOPES", "BOTS", "CREATED", "EXPIRES", "REVOKED");
            keys.forEach(key -> table.row(
                    key.keyId(),
                    key.name(),
                    String.join(",", codes(key.scopes())),
                    key.botIds() == null ? "any" : String.join(",", sorted(key.botIds())),
                    key.createdAt().toString(),
                    text(key.expiresAt(), "never"),
                    text(key.revokedAt(), "-")));
            table.lines().forEach(console.out()::println);
        }
        return 0;
    }

    private Future<List<ApiKey>> all(ApiKeys keys, List<ApiKey> soFar) {
        String after = soFar.isEmpty() ? "" : soFar.get(soFar.size() - 1).keyId();
        return keys.list(tenant, after, PAGE).compose(page -> {
            soFar.addAll(page);
            return page.size() < PAGE ? Future.succeededFuture(soFar) : all(keys, soFar);
        });
    }

    private static Map<String, @Nullable Object> fields(ApiKey key) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("key_id", key.keyId());
        fields.put("name", key.name());
        fields.put("scopes", codes(key.scopes()));
        fields.put("bot_ids", key.botIds() == null ? null : sorted(key.botIds()));
        fields.put("created_at", key.createdAt().toString());
        fields.put("expires_at", orNull(key.expiresAt()));
        fields.put("revoked_at", orNull(key.revokedAt()));
        return fields;
    }

    private static List<String> codes(Set<Scope> scopes) {
        return scopes.stream().map(Scope::code).sorted().toList();
    }

    private static List<String> sorted(Set<String> words) {
        return words.stream().sorted().toList();
    }

    private static String text(@Nullable Instant instant, String absent) {
        return instant == null ? absent : instant.toString();
    }

    private static @Nullable String orNull(@Nullable Instant instant) {
        return instant == null ? null : instant.toString();
    }
}
