package io.tailrace.http;

import io.tailrace.config.Suggestion;
import io.tailrace.wire.Problem;
import io.tailrace.wire.ProblemCode;
import io.tailrace.wire.Rejection;
import io.vertx.core.MultiMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request: each known, each at most once. */
final class Query {
    private final MultiMap parameters;

    /** @throws Rejection for one that is unknown or repeated: a misspelt filter would otherwise show everything */
    Query(MultiMap parameters, List<String> known) {
        this.parameters = parameters;
        for (String name : parameters.names()) {
            if (!known.contains(name)) {
                throw invalid(name, "is not a known parameter" + Suggestion.of(name, known));
            }
            if (parameters.getAll(name).size() > 1) {
                throw invalid(name, "is there more than once");
            }
        }
    }

    @Nullable
    String text(String name) {
        return parameters.get(name);
    }

    int number(String name, int otherwise, int min, int max) {
        return (int) number(name, (long) otherwise, min, max);
    }

    long number(String name, long otherwise, long min, long max) {
        String text = parameters.get(name);
        if (text == null) {
            return otherwise;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Answered below, as a number that is out of bounds.
        }
        throw invalid(name, "must be a number between " + min + " and " + max);
    }

    /** Names separated by commas, all of them among {@code known}. */
    Set<String> names(String name, List<String> known) {
        String text = parameters.get(name);
        Set<String> names = new TreeSet<>();
        if (text != null) {
            for (String one : text.split(",", -1)) {
                if (!known.contains(one)) {
                    throw invalid(name, "must name some of " + String.join(", ", known));
                }
                names.add(one);
            }
        }
        return names;
    }

    static Rejection invalid(String name, String detail) {
        return Problem.outside(ProblemCode.INVALID_FIELD, "query " + name, detail)
                .rejection();
    }
}
