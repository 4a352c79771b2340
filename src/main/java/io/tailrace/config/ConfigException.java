package io.tailrace.config;

import java.util.List;
import java.util.stream.Collectors;

/** Settings that cannot be run with: every problem found, each with its key and what to do. Never holds a secret. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * @param key the setting's full key, or its name within a section while that section is being built
     * @param text a sentence that follows the key: {@code must be …, but is …}
     */
    public record Problem(String key, String text) implements java.io.Serializable {
        Problem within(String section) {
            return section.isEmpty() ? this : new Problem(section + "." + key, text);
        }

        /** The whole sentence. */
        @Override
        public String toString() {
            return key.isEmpty() ? text : key + " " + text;
        }
    }

    private final List<Problem> problems;

    public ConfigException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining("; ")));
        this.problems = List.copyOf(problems);
    }

    /** One at least, in the order found. */
    public List<Problem> problems() {
        return problems;
    }
}
