package io.tailrace.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ShippedFileTest {
    private static final Pattern VALUE = Pattern.compile("\\s+[a-z_]+: .+");
    private static final Pattern DURATION = Pattern.compile(".*: \\d+ (ms|s|min|h|d)");
    private static final Pattern SIZE = Pattern.compile(".*: \\d+ (B|KiB|MiB|GiB|MB)");

    private static List<String> lines() throws IOException {
        try (InputStream stream = ShippedFileTest.class.getClassLoader().getResourceAsStream(ConfigLoader.SHIPPED)) {
            return new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    @Test
    @DisplayName("CONF-1 every key of conf/tailrace.yaml is commented, with its unit")
    void everyKeyIsCommented() throws IOException {
        List<String> bare = new ArrayList<>();
        List<String> lines = lines();
        for (int i = 1; i < lines.size(); i++) {
            if (VALUE.matcher(lines.get(i)).matches()) {
                String above = lines.get(i - 1).strip();
                boolean unitSaid = !DURATION.matcher(lines.get(i)).matches() || said(lines, i, "Duration");
                unitSaid &= !SIZE.matcher(lines.get(i)).matches() || said(lines, i, "Size");
                if (!above.startsWith("#") || !unitSaid) {
                    bare.add(lines.get(i));
                }
            }
        }
        assertThat(bare).isEmpty();
    }

    /** True when the comment right above holds the word. */
    private static boolean said(List<String> lines, int line, String word) {
        for (int i = line - 1; lines.get(i).strip().startsWith("#"); i--) {
            if (lines.get(i).contains(word)) {
                return true;
            }
        }
        return false;
    }

    @Test
    @DisplayName("CONF-1 text and back: durations and sizes print as they are written")
    void textAndBack() {
        for (String text : List.of("500 ms", "90 s", "15 min", "24 h", "0 ms")) {
            assertThat(DurationText.format(DurationText.parse(text))).isEqualTo(text);
        }
        for (String text : List.of("512 B", "64 KiB", "16 MiB", "2 GiB", "0 B")) {
            assertThat(DataSize.parse(text)).hasToString(text);
        }
        assertThat(DataSize.parse("50 MB").bytes()).isEqualTo(50_000_000);
    }
}
