package io.tailrace.config;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes that was written with its unit.
 *
 * @param bytes zero or more
 */
public record DataSize(long bytes) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,15})\\s*([A-Za-z]+)");
    private static final Map<String, Long> UNITS = Map.of(
            "b", 1L,
            "kib", 1L << 10,
            "mib", 1L << 20,
            "gib", 1L << 30,
            "kb", 1_000L,
            "mb", 1_000_000L,
            "gb", 1_000_000_000L);

    public DataSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size is not negative, but this is " + bytes);
        }
    }

    public static DataSize ofKibibytes(long kibibytes) {
        return new DataSize(kibibytes << 10);
    }

    public static DataSize ofMebibytes(long mebibytes) {
        return new DataSize(mebibytes << 20);
    }

    /**
     * Reads {@code 16 MiB}, {@code 64 KiB}, {@code 50 MB}, {@code 512 B}.
     *
     * @throws IllegalArgumentException saying what a size looks like
     */
    public static DataSize parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        Long unit = matcher.matches() ? UNITS.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
        if (unit == null) {
            throw new IllegalArgumentException(
                    "must be a size with a unit (B, KiB, MiB, GiB, kB, MB, GB), like 16 MiB");
        }
        try {
            return new DataSize(Math.multiplyExact(Long.parseLong(matcher.group(1)), unit));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("is more than can be counted in bytes", e);
        }
    }

    /**
     * The same as an int, for libraries that count bytes in one.
     *
     * @throws ArithmeticException past 2 GiB
     */
    public int intBytes() {
        return Math.toIntExact(bytes);
    }

    /** In the largest binary unit that divides it: {@code 16 MiB}. */
    @Override
    public String toString() {
        if (bytes > 0 && bytes % (1L << 30) == 0) {
            return (bytes >> 30) + " GiB";
        }
        if (bytes > 0 && bytes % (1L << 20) == 0) {
            return (bytes >> 20) + " MiB";
        }
        if (bytes > 0 && bytes % (1L << 10) == 0) {
            return (bytes >> 10) + " KiB";
        }
        return bytes + " B";
    }
}
