package io.tailrace.config;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them, always with a unit. */
public final class DurationText {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,12})\\s*([A-Za-z]+)");
    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "min", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);

    private DurationText() {}

    /**
     * Reads {@code 500 ms}, {@code 90 s}, {@code 15 min}, {@code 24 h}, {@code 7 d}.
     *
     * @throws IllegalArgumentException saying what a duration looks like
     */
    public static Duration parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        ChronoUnit unit = matcher.matches() ? UNITS.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
        if (unit == null) {
            throw new IllegalArgumentException("must be a duration with a unit (ms, s, min, h, d), like 90 s");
        }
        return Duration.of(Long.parseLong(matcher.group(1)), unit);
    }

    /** In the largest unit that divides it: {@code 90 s}, {@code 15 min}. */
    public static String format(Duration duration) {
        long millis = duration.toMillis();
        if (millis == 0 || millis % 1_000 != 0) {
            return millis + " ms";
        }
        long seconds = millis / 1_000;
        if (seconds % 3_600 == 0) {
            return seconds / 3_600 + " h";
        }
        return seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
    }
}
