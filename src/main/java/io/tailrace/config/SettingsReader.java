package io.tailrace.config;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Turns settings into the types of the records. A value that cannot be read is a problem, and its default stands in for
 * it, so that everything after it is checked too.
 */
final class SettingsReader {
    private final Settings settings;
    private final Set<String> read = new HashSet<>();
    private boolean defaultsOnly;

    SettingsReader(Settings settings) {
        this.settings = settings;
    }

    String text(String key) {
        return parse(key, "a word", String::strip);
    }

    Secret secret(String key) {
        return new Secret(parse(key, "a secret", Function.identity()));
    }

    int number(String key) {
        return parse(
                key, "a whole number", text -> Integer.parseInt(text.strip().replace("_", "")));
    }

    boolean flag(String key) {
        return parse(key, "true or false", text -> switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new NumberFormatException();
        });
    }

    Duration duration(String key) {
        return parse(key, "a duration", DurationText::parse);
    }

    DataSize size(String key) {
        return parse(key, "a size", DataSize::parse);
    }

    /** The number, or null where {@code word} stands for something worked out elsewhere. */
    @Nullable
    Integer numberOr(String key, String word) {
        String text = raw(key).strip();
        return text.equals(word) ? null : Integer.valueOf(number(key, "a whole number or \"" + word + "\"", word));
    }

    private int number(String key, String expected, String word) {
        return parse(key, expected, text -> text.equals(word) ? 1 : Integer.parseInt(text.strip()));
    }

    private <T> T parse(String key, String expected, Function<String, T> parser) {
        String text = raw(key);
        try {
            return parser.apply(text);
        } catch (NumberFormatException e) {
            problem(key, "must be " + expected + ", but is \"" + text + "\"");
        } catch (IllegalArgumentException e) {
            problem(key, e.getMessage() + ", but is \"" + text + "\"");
        }
        return parser.apply(settings.shippedValue(key));
    }

    private String raw(String key) {
        read.add(key);
        return defaultsOnly ? settings.shippedValue(key) : settings.value(key);
    }

    private void problem(String key, String text) {
        settings.problemWith(new ConfigException.Problem(key, text));
    }

    /**
     * Builds a record whose components are the keys of {@code section}. When it refuses them, that is noted and the
     * defaults take their place, so that the relations to other sections are still checked.
     */
    <T> T section(String section, Function<String, T> build) {
        String prefix = section.isEmpty() ? "" : section + ".";
        try {
            return build.apply(prefix);
        } catch (ConfigException e) {
            e.problems().stream().map(problem -> problem.within(section)).forEach(settings::problemWith);
        }
        boolean before = defaultsOnly;
        defaultsOnly = true;
        try {
            return build.apply(prefix);
        } finally {
            defaultsOnly = before;
        }
    }

    /** Known keys that nothing has asked for: a shipped file that promises what the code does not do. */
    List<String> unread() {
        return settings.knownKeys().stream().filter(key -> !read.contains(key)).toList();
    }
}
