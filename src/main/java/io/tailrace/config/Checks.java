package io.tailrace.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong with a record's components, so that its constructor reports all of it at once. */
final class Checks {
    private final List<ConfigException.Problem> problems = new ArrayList<>();

    Checks that(boolean holds, String key, String problem) {
        if (!holds) {
            problems.add(new ConfigException.Problem(key, problem));
        }
        return this;
    }

    Checks present(String key, String value) {
        return that(!value.isBlank(), key, "must not be empty");
    }

    Checks between(String key, long value, long least, long most) {
        return that(
                value >= least && value <= most, key, "must be from " + least + " to " + most + ", but is " + value);
    }

    Checks between(String key, Duration value, Duration least, Duration most) {
        return that(
                value.compareTo(least) >= 0 && value.compareTo(most) <= 0,
                key,
                "must be from " + DurationText.format(least) + " to " + DurationText.format(most) + ", but is "
                        + DurationText.format(value));
    }

    Checks between(String key, DataSize value, DataSize least, DataSize most) {
        return that(
                value.bytes() >= least.bytes() && value.bytes() <= most.bytes(),
                key,
                "must be from " + least + " to " + most + ", but is " + value);
    }

    /** @throws ConfigException when any check failed */
    void done() {
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
    }
}
