package io.tailrace.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** The known name nearest to a mistyped one. */
public final class Suggestion {
    private Suggestion() {}

    /** {@code ; did you mean …?} or nothing when no known name is near. */
    public static String of(String typed, Collection<String> known) {
        String wanted = typed.toLowerCase(Locale.ROOT);
        return known.stream()
                .min(Comparator.comparing((String name) -> !sameLastWord(wanted, name.toLowerCase(Locale.ROOT)))
                        .thenComparingInt(name -> distance(wanted, name.toLowerCase(Locale.ROOT))))
                .filter(name -> near(wanted, name.toLowerCase(Locale.ROOT)))
                .map(name -> "; did you mean " + name + "?")
                .orElse("");
    }

    private static boolean near(String typed, String known) {
        return sameLastWord(typed, known) || distance(typed, known) <= Math.max(2, known.length() / 3);
    }

    /** A key written without its section, or in another one, is nearer than any other spelling. */
    private static boolean sameLastWord(String typed, String known) {
        return last(typed).equals(last(known));
    }

    private static String last(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Levenshtein's: insertions, deletions and replacements that make one of the other. */
    static int distance(String left, String right) {
        int[] above = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            above[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int[] row = new int[right.length() + 1];
            row[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int replaced = above[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(replaced, Math.min(above[j], row[j - 1]) + 1);
            }
            above = row;
        }
        return above[right.length()];
    }
}
