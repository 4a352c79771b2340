package io.tailrace.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The value of every known key and where it came from, later layers over earlier ones. Collects problems instead of
 * throwing.
 */
final class Settings {
    /** Keys whose values never appear in a message and that can be read from a file ({@code *_FILE}). */
    static final Set<String> SECRETS = Set.of("database.password", "management.admin_token");

    /**
     * @param source as an operator would name it: a variable, a flag, a file with its line
     */
    record Setting(String value, String source) {}

    private final Map<String, Setting> shipped;
    private final Map<String, Setting> current;
    private final List<ConfigException.Problem> problems = new ArrayList<>();

    /** @param shipped the shipped file: known keys and their defaults, in order */
    Settings(Map<String, Setting> shipped) {
        this.shipped = Map.copyOf(shipped);
        this.current = new LinkedHashMap<>(shipped);
    }

    Set<String> knownKeys() {
        return current.keySet();
    }

    void set(String key, String value, String source) {
        if (shipped.containsKey(key)) {
            current.put(key, new Setting(value, source));
        } else {
            problem("", source + " sets the unknown key " + key + Suggestion.of(key, knownKeys()));
        }
    }

    void problem(String key, String text) {
        problems.add(new ConfigException.Problem(key, text));
    }

    /** A problem with the value that a key now has; names its source unless that is the shipped file. */
    void problemWith(ConfigException.Problem problem) {
        Setting setting = current.get(problem.key());
        if (setting == null || setting.equals(shipped.get(problem.key()))) {
            problems.add(problem);
        } else {
            problem(problem.key(), problem.text() + " (from " + setting.source() + ")");
        }
    }

    String value(String key) {
        return known(current.get(key), key).value();
    }

    String shippedValue(String key) {
        return known(shipped.get(key), key).value();
    }

    private static Setting known(@Nullable Setting setting, String key) {
        if (setting == null) {
            throw new IllegalStateException("the shipped conf/tailrace.yaml lacks " + key);
        }
        return setting;
    }

    List<ConfigException.Problem> problems() {
        return problems;
    }
}
