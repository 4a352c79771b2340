package io.tailrace.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the compiler does not see. */
class SourcesTest {
    /** Past this a class has more than one subject; most stay under 250. */
    private static final int LONGEST = 400;

    // Spelled so that this file does not find itself.
    private static final Pattern LEFT_OVER = Pattern.compile("TO" + "DO|FIX" + "ME|@Dis" + "abled|Thread\\.sl" + "eep");

    @Test
    void noFileIsTooLong() {
        assertThat(sources().filter(file -> lines(file).size() > LONGEST)).isEmpty();
    }

    @Test
    void nothingIsLeftForLaterAndNothingSleeps() {
        assertThat(sources().filter(file -> lines(file).stream()
                        .anyMatch(line -> LEFT_OVER.matcher(line).find())))
                .isEmpty();
    }

    /** last_seq in a SET list, or among the columns of an INSERT. */
    private static final Pattern ALLOCATES = Pattern.compile(
            "(?is)\\bSET\\b[^;]*?\\blast_seq\\s*=|\\bINSERT\\s+INTO\\s+(public\\.)?conversations\\b[^)]*\\blast_seq\\b");

    @Test
    @DisplayName("ACT-1 one code path allocates a seq: nothing but the append function writes last_seq")
    void oneAllocatesSeq() {
        assertThat(sources()
                        .filter(file -> file.startsWith("src/main"))
                        .filter(file -> ALLOCATES
                                .matcher(String.join("\n", lines(file)))
                                .find())
                        .map(file -> file.getFileName().toString()))
                .containsExactly("R__activity_append.sql");
    }

    private static Stream<Path> sources() {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            return files
                    .filter(file ->
                            file.toString().endsWith(".java") || file.toString().endsWith(".sql"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
