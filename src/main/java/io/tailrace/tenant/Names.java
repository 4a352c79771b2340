package io.tailrace.tenant;

import org.jspecify.annotations.Nullable;

/** What may be the name of a tenant, a key, or a bot id a key is bound to. */
public final class Names {
    /** The same as the CHECKs of the tables, counted in code points as PostgreSQL counts them. */
    public static final int LONGEST = 200;

    private Names() {}

    /** What is wrong with {@code name}, in words, or null when it may be stored. */
    public static @Nullable String problem(String name) {
        if (name.isBlank()) {
            return "must not be empty";
        }
        if (name.codePointCount(0, name.length()) > LONGEST) {
            return "must have at most " + LONGEST + " characters";
        }
        boolean unprintable = name.codePoints().anyMatch(c -> Character.isISOControl(c) || isLoneSurrogate(c));
        return unprintable ? "must not have control characters or unpaired surrogates" : null;
    }

    static void require(String what, String name) {
        String problem = problem(name);
        if (problem != null) {
            throw new IllegalArgumentException(what + " " + problem);
        }
    }

    private static boolean isLoneSurrogate(int codePoint) {
        // codePoints() joins pairs, so a surrogate that still shows had no other half.
        return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
    }
}
