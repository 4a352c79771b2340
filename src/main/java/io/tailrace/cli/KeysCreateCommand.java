package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.config.DurationText;
import io.tailrace.config.TailraceConfig;
import io.tailrace.tenant.KeyResult;
import io.tailrace.tenant.NewKey;
import io.tailrace.tenant.Scope;
import io.tailrace.tenant.Tenant;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a key and prints it, the only time that it can be seen. */
@Command(
        name = "create",
        mixinStandardHelpOptions = true,
        description = "Makes an API key and prints it. It cannot be shown again.",
        footer = {
            "",
            "Examples:",
            "  tailrace keys create ci --scope outbox --scope operate",
            "  tailrace keys create sender --scope outbox --bot 7 --expires-in \"90 d\" --json"
        })
final class KeysCreateCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Parameters(paramLabel = "NAME", description = "For people, to know it again.")
    private String name = "";

    @Option(
            names = "--scope",
            paramLabel = "SCOPE",
            required = true,
            description = "What it may be used for: activities, outbox, operate, llm. Repeatable.")
    private final Set<String> scopes = new LinkedHashSet<>();

    @Option(names = "--tenant", paramLabel = "ID", description = "Whose it is. Default: the default tenant.")
    private UUID tenant = Tenant.DEFAULT;

    @Option(names = "--bot", paramLabel = "ID", description = "Binds it to a bot. Repeatable. Default: any bot.")
    private final Set<String> bots = new LinkedHashSet<>();

    @Option(names = "--expires-in", paramLabel = "DURATION", description = "For example \"90 d\". Default: never.")
    private @Nullable String expiresIn;

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    KeysCreateCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        Set<Scope> wanted = new LinkedHashSet<>();
        scopes.forEach(code -> wanted.add(Scope.of(code)
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no scope " + code + "; use activities, outbox, operate or llm"))));
        Duration life = life();
        TailraceConfig config = settings.load(console);
        KeyResult result = Service.ask(config, "making the key", parts -> create(parts, wanted, life));
        if (result instanceof KeyResult.Created created) {
            print(created);
            return 0;
        }
        throw new CommandFailed(
                result instanceof KeyResult.UnknownTenant
                        ? "there is no tenant " + tenant
                        : "the key would already have expired; give a longer --expires-in");
    }

    private @Nullable Duration life() {
        if (expiresIn == null) {
            return null;
        }
        try {
            return DurationText.parse(expiresIn);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--expires-in " + e.getMessage() + ", but is \"" + expiresIn + "\"", e);
        }
    }

    private Future<KeyResult> create(Tailrace parts, Set<Scope> wanted, @Nullable Duration life) {
        Set<String> bound = bots.isEmpty() ? null : bots;
        if (life == null) {
            return parts.keys().create(tenant, new NewKey(name, wanted, bound, null));
        }
        return parts.database().now().compose(now -> {
            Instant expires = now.plus(life);
            return parts.keys().create(tenant, new NewKey(name, wanted, bound, expires));
        });
    }

    private void print(KeyResult.Created created) {
        if (json) {
            Map<String, String> answer = new LinkedHashMap<>();
            answer.put("key", created.key().reveal());
            answer.put("key_id", created.stored().keyId());
            console.out().println(Json.of(answer));
        } else {
            console.out().println(created.key().reveal());
            console.err()
                    .println("Made key " + created.stored().keyId() + ". Keep the text above: it is not stored here.");
        }
    }
}
