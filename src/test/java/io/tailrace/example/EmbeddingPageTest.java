package io.tailrace.example;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EmbeddingPageTest {
    private static final Path SOURCE = Path.of("src/test/java/io/tailrace/example/ShopApplication.java");
    private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    @Test
    @DisplayName(
            "BUS-2 the example of docs/embedding.md is the application that EmbeddedTailraceIT runs, character by character")
    void exampleIsTheSource() throws IOException {
        String source = Files.readString(SOURCE);
        List<String> blocks = JAVA.matcher(Files.readString(Path.of("docs", "embedding.md")))
                .results()
                .map((MatchResult block) -> block.group(1))
                .toList();
        assertThat(blocks).containsExactly(source.substring(source.indexOf("import ")));
    }
}
