package io.tailrace.testkit;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbered promises in display names, and the page that lists them. Pure. */
final class Promises {
    private static final String NUMBER = "[A-Z]+-\\d+";
    private static final Pattern ONE = Pattern.compile(NUMBER);
    /** One or more at the start of a name: "OUT-4 …", "OUT-4, OUT-5 …", "OUT-4/OUT-5 …", "OUT-4 and OUT-5: …". */
    private static final Pattern LEADING =
            Pattern.compile("^" + NUMBER + "(?:(?:, | and |/| )" + NUMBER + ")*(?::? |$)");

    private static final Pattern LISTED = Pattern.compile("^### (" + NUMBER + ")$", Pattern.MULTILINE);

    private static final Comparator<String> BY_NUMBER = Comparator.comparing(
                    (String promise) -> promise.substring(0, promise.lastIndexOf('-')))
            .thenComparing(promise -> Integer.valueOf(promise.substring(promise.lastIndexOf('-') + 1)));

    private static final String HEAD = """
            # Promises, and the tests that keep them

            Written by `mvn verify` from the tests that ran and passed. A promise that stands here and that a full run does not
            keep any more fails the build.
            """;

    private Promises() {}

    /** What one test did for one promise. */
    record Outcome(String promise, boolean passed, String testClass, String sentence) {
        String line() {
            return String.join("\t", promise, passed ? "passed" : "failed", testClass, sentence);
        }

        static Outcome of(String line) {
            String[] columns = line.split("\t", 4);
            return new Outcome(columns[0], columns[1].equals("passed"), columns[2], columns[3]);
        }
    }

    static List<String> named(String displayName) {
        Matcher leading = LEADING.matcher(displayName);
        return leading.find()
                ? ONE.matcher(leading.group()).results().map(MatchResult::group).toList()
                : List.of();
    }

    /** The display name without its numbers, on one line. */
    static String sentence(String displayName) {
        return LEADING.matcher(displayName)
                .replaceFirst("")
                .replaceAll("\\s+", " ")
                .strip();
    }

    /** The promises that a page lists. */
    static List<String> listed(String page) {
        return LISTED.matcher(page).results().map(found -> found.group(1)).toList();
    }

    /** The promises of which every test passed, each with its tests. */
    static Map<String, SortedSet<String>> kept(List<Outcome> outcomes) {
        Map<String, SortedSet<String>> kept = new TreeMap<>(BY_NUMBER);
        for (Outcome outcome : outcomes) {
            String sentence = outcome.sentence.isEmpty() ? "" : outcome.sentence + " ";
            kept.computeIfAbsent(outcome.promise, promise -> new TreeSet<>())
                    .add("- " + sentence + "(`" + outcome.testClass + "`)");
        }
        outcomes.stream().filter(outcome -> !outcome.passed).forEach(outcome -> kept.remove(outcome.promise));
        return kept;
    }

    static String page(Map<String, SortedSet<String>> kept) {
        StringBuilder page = new StringBuilder(HEAD);
        kept.forEach((promise, tests) -> page.append("\n### ")
                .append(promise)
                .append("\n\n")
                .append(String.join("\n", tests))
                .append('\n'));
        return page.toString();
    }
}
