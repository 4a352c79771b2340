package io.tailrace.config;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads the settings: the shipped defaults, then the operator's file or an embedding application's JSON, then the environment, then flags (CONF-1).
 *
 * <p>The file is the one named, or by {@code TAILRACE_CONFIG}, or {@code conf/tailrace.yaml} in the working folder when
 * it is there. All problems are reported at once.
 */
public final class ConfigLoader {
    static final String SHIPPED = "conf/tailrace.yaml";

    private final Map<String, String> environment;
    private final @Nullable Path file;
    private final boolean mustExist;
    private final @Nullable JsonObject json;

    private ConfigLoader(
            Map<String, String> environment, @Nullable Path file, boolean mustExist, @Nullable JsonObject json) {
        this.environment = new TreeMap<>(environment);
        this.file = file;
        this.mustExist = mustExist;
        this.json = json;
    }

    /**
     * As a process does it.
     *
     * @param file as named on the command line, or null
     */
    public static ConfigLoader of(Map<String, String> environment, @Nullable Path file) {
        String named = environment.get(EnvironmentNames.FILE);
        if (file != null) {
            return new ConfigLoader(environment, file, true, null);
        }
        return named != null
                ? new ConfigLoader(environment, Path.of(named), true, null)
                : new ConfigLoader(environment, Path.of(SHIPPED), false, null);
    }

    /**
     * As an application that embeds the service does it: no file and no environment, and no port is opened unless {@code
     * json} says so.
     *
     * @param json sections of keys as in the shipped file: {@code {"database": {"host": "db", "pool_size": 20}}}
     */
    public static ConfigLoader of(JsonObject json) {
        return new ConfigLoader(Map.of(), null, false, json);
    }

    /** The shipped defaults alone. */
    public static ConfigLoader withoutEnvironment() {
        return new ConfigLoader(Map.of(), null, false, null);
    }

    /**
     * @param flags full keys to values, over everything else
     * @throws ConfigException with every problem there is
     */
    public TailraceConfig load(Map<String, String> flags) {
        Settings settings = new Settings(shipped());
        applyFile(settings);
        applyJson(settings);
        applyEnvironment(settings);
        new TreeMap<>(flags).forEach((key, value) -> settings.set(key, value, "the flag " + key));
        TailraceConfig config = ConfigBinder.bind(settings);
        if (!settings.problems().isEmpty()) {
            throw new ConfigException(settings.problems());
        }
        return config;
    }

    private static Map<String, Settings.Setting> shipped() {
        List<ConfigException.Problem> problems = new ArrayList<>();
        try (InputStream stream = ConfigLoader.class.getClassLoader().getResourceAsStream(SHIPPED)) {
            if (stream == null) {
                throw new IllegalStateException(SHIPPED + " is not on the class path");
            }
            Map<String, Settings.Setting> settings =
                    YamlFile.read("the defaults", new InputStreamReader(stream, StandardCharsets.UTF_8), problems);
            if (!problems.isEmpty()) {
                throw new IllegalStateException("the shipped " + SHIPPED + " is broken: " + problems);
            }
            return settings;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void applyFile(Settings settings) {
        if (file == null || (!mustExist && !Files.exists(file))) {
            return;
        }
        try (Reader reader = Files.newBufferedReader(file)) {
            YamlFile.read(file.toString(), reader, settings.problems())
                    .forEach((key, setting) -> settings.set(key, setting.value(), setting.source()));
        } catch (IOException e) {
            settings.problem("", "the settings file " + file + " cannot be read: " + e);
        }
    }

    private void applyJson(Settings settings) {
        if (json != null) {
            settings.set("http.enabled", "false", "embedding");
            settings.set("management.enabled", "false", "embedding");
            flatten("", json, settings);
        }
    }

    private static void flatten(String prefix, JsonObject section, Settings settings) {
        for (String name : section.fieldNames()) {
            String key = prefix + name;
            Object value = section.getValue(name);
            if (value instanceof JsonObject inner) {
                flatten(key + ".", inner, settings);
            } else if (value instanceof String || value instanceof Number || value instanceof Boolean) {
                settings.set(key, value.toString(), "the JSON");
            } else {
                settings.problem("", "the JSON sets " + key + " to what is neither a text, a number nor a boolean");
            }
        }
    }

    private void applyEnvironment(Settings settings) {
        Map<String, String> keys = new TreeMap<>(EnvironmentNames.OF_ORIGIN);
        settings.knownKeys().forEach(key -> keys.put(EnvironmentNames.of(key), key));
        Map<String, String> files = new TreeMap<>();
        Settings.SECRETS.forEach(key -> files.put(EnvironmentNames.of(key) + EnvironmentNames.FROM_FILE, key));
        Map<String, String> setBy = new TreeMap<>();
        environment.forEach((variable, value) -> {
            String key = keys.getOrDefault(variable, files.get(variable));
            if (key == null) {
                if (EnvironmentNames.claims(variable)) {
                    keys.putAll(files);
                    settings.problem(
                            "", variable + " is not a known variable" + Suggestion.of(variable, keys.keySet()));
                }
                return;
            }
            String other = setBy.putIfAbsent(key, variable);
            if (other != null) {
                settings.problem(key, "is set by both " + other + " and " + variable + "; unset one of them");
            } else if (files.containsKey(variable)) {
                setFromFile(settings, key, variable, Path.of(value));
            } else {
                settings.set(key, value, variable);
            }
        });
    }

    private static void setFromFile(Settings settings, String key, String variable, Path path) {
        try {
            // Editors and `echo` end a file with a newline that is no part of the secret.
            settings.set(key, Files.readString(path).stripTrailing(), variable);
        } catch (IOException e) {
            settings.problem("", variable + " names a file that cannot be read: " + e);
        }
    }
}
