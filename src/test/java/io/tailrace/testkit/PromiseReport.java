package io.tailrace.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Stream;

/**
 * Writes docs/promises.md from what the unit and the integration tests of this build noted, and fails the build when a
 * promise that stands there was lost; the page is then left as it was.
 *
 * <p>Run by Maven in the phase {@code verify}. Does nothing when only some of the tests were asked for.
 */
public final class PromiseReport {
    private static final List<String> PARTIAL_RUN = List.of("test", "it.test", "skipTests", "skipITs", "groups");

    private PromiseReport() {}

    /** The only argument is the project's folder. */
    public static void main(String[] arguments) throws IOException {
        if (PARTIAL_RUN.stream().anyMatch(name -> System.getProperty(name) != null)) {
            System.out.println("docs/promises.md: left alone, not all tests ran");
            return;
        }
        Path project = Path.of(arguments[0]);
        List<Promises.Outcome> outcomes = new ArrayList<>();
        for (String run : List.of("unit.txt", "integration.txt")) {
            try (Stream<String> lines =
                    Files.lines(project.resolve("target/promises").resolve(run))) {
                lines.map(Promises.Outcome::of).forEach(outcomes::add);
            }
        }
        Path page = project.resolve("docs/promises.md");
        Map<String, SortedSet<String>> kept = Promises.kept(outcomes);
        List<String> lost = new ArrayList<>(Files.exists(page) ? Promises.listed(Files.readString(page)) : List.of());
        lost.removeAll(kept.keySet());
        if (!lost.isEmpty()) {
            throw new IllegalStateException(
                    "promises in docs/promises.md that no test kept in this run: " + String.join(", ", lost));
        }
        Files.createDirectories(page.getParent());
        Files.writeString(page, Promises.page(kept));
        System.out.println("docs/promises.md: " + kept.size() + " promises kept");
    }
}
