package io.tailrace.cli;

import io.tailrace.app.Tailrace;
import io.tailrace.cli.embedded.EmbeddedServer;
import io.tailrace.config.TailraceConfig;
import io.tailrace.tenant.KeyResult;
import io.tailrace.tenant.NewKey;
import io.tailrace.tenant.Scope;
import io.tailrace.tenant.Tenant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Everything on one machine: a PostgreSQL of its own, the service, a key. */
@Command(
        name = "dev",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the service with a PostgreSQL of its own, a demo key and an admin token.",
            "Listens on loopback only. Ctrl-C ends it all; the data goes too, unless --data-dir keeps it."
        },
        footer = {
            "",
            "Examples:",
            "  tailrace dev",
            "  tailrace dev --free-ports --data-dir ~/tailrace-data",
            "  tailrace dev --port 9080 --management-port 0"
        })
final class DevCommand implements Callable<Integer> {
    private static final Duration LONGEST_START = Duration.ofSeconds(60);
    private static final String LOOPBACK = "127.0.0.1";
    private static final int TOKEN_BYTES = 24;

    private final Console console;

    @Mixin
    private final SettingsOptions settings = new SettingsOptions();

    @Option(names = "--port", paramLabel = "PORT", description = "Public port; 0 takes a free one. Default: 8080.")
    private @Nullable Integer port;

    @Option(
            names = "--management-port",
            paramLabel = "PORT",
            description = "Management port; 0 takes a free one. Default: 8081.")
    private @Nullable Integer managementPort;

    @Option(names = "--free-ports", description = "Free ports for both.")
    private boolean freePorts;

    @Option(
            names = "--data-dir",
            paramLabel = "DIR",
            description = "Keeps PostgreSQL's data there. Default: a temporary folder, removed at exit.")
    private @Nullable Path dataDir;

    @Option(
            names = "--info-file",
            paramLabel = "FILE",
            description = "Written when ready, removed at exit. Default: target/dev.json.")
    private Path infoFile = Path.of("target", "dev.json");

    DevCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        // Wrong settings are found before a server is started for them.
        settings.load(console, overrides(1, "a-token-to-be-made"));
        UntilStopped process = new UntilStopped();
        try {
            start(process);
        } catch (IOException e) {
            process.end();
            throw new CommandFailed(e.getMessage() == null ? e.toString() : e.getMessage(), e);
        } catch (RuntimeException e) {
            process.end();
            throw e;
        }
        process.await();
        return 0;
    }

    private void start(UntilStopped process) throws IOException {
        long began = System.nanoTime();
        EmbeddedServer postgres = process.hold(EmbeddedServer.start(dataDir));
        String token = token();
        TailraceConfig config = settings.load(console, overrides(postgres.port(), token));
        Tailrace tailrace = Tailrace.create(config, true);
        process.hold(tailrace::close);
        Waiting.on(tailrace.start(), LONGEST_START, "starting");
        Waiting.on(tailrace.ready(), LONGEST_START, "starting");
        DevFile file = new DevFile(
                "http://" + LOOPBACK + ":" + tailrace.port(),
                "http://" + LOOPBACK + ":" + tailrace.managementPort(),
                token,
                demoKey(tailrace),
                Tenant.DEFAULT.toString(),
                postgres.jdbcUrl());
        process.hold(() -> Files.deleteIfExists(infoFile));
        file.write(infoFile);
        DevGreeting.lines(file, infoFile, postgres.folder(), dataDir != null, seconds(began))
                .forEach(console.out()::println);
    }

    private static double seconds(long began) {
        return (System.nanoTime() - began) / 1e9;
    }

    private Map<String, String> overrides(int postgresPort, String token) {
        Map<String, String> overrides = new LinkedHashMap<>();
        overrides.put("database.host", EmbeddedServer.HOST);
        overrides.put("database.port", String.valueOf(postgresPort));
        overrides.put("database.name", EmbeddedServer.DATABASE);
        overrides.put("database.user", EmbeddedServer.USER);
        overrides.put("database.password", "");
        overrides.put("http.enabled", "true");
        overrides.put("http.host", LOOPBACK);
        overrides.put("management.enabled", "true");
        overrides.put("management.host", LOOPBACK);
        overrides.put("management.admin_token", token);
        overrides.put("keys.environment", "dev");
        if (freePorts) {
            overrides.put("http.port", "0");
            overrides.put("management.port", "0");
        }
        if (port != null) {
            overrides.put("http.port", port.toString());
        }
        if (managementPort != null) {
            overrides.put("management.port", managementPort.toString());
        }
        return overrides;
    }

    private static String token() {
        byte[] bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        return "admin_" + HexFormat.of().formatHex(bytes);
    }

    private static String demoKey(Tailrace tailrace) {
        NewKey wanted = new NewKey("dev", EnumSet.allOf(Scope.class), null, null);
        KeyResult result =
                Waiting.on(tailrace.keys().create(Tenant.DEFAULT, wanted), LONGEST_START, "making the demo key");
        if (result instanceof KeyResult.Created created) {
            return created.key().reveal();
        }
        throw new CommandFailed("the demo key could not be made: the default tenant is gone from this data folder");
    }
}
