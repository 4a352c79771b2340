package io.tailrace.wire;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Pattern;

/** Instants in JSON: RFC 3339 with an offset on the way in, UTC with six decimals on the way out. */
public final class Rfc3339 {
    // A second of 60 and an hour of 24 are not instants; java.time refuses the rest (February 30).
    private static final Pattern FORM =
            Pattern.compile("\\d{4}-\\d{2}-\\d{2}T[0-2]\\d:[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-][0-2]\\d:[0-5]\\d)");
    private static final Instant EARLIEST = Instant.parse("2000-01-01T00:00:00Z");
    private static final Instant LATEST = Instant.parse("2200-01-01T00:00:00Z");

    private Rfc3339() {}

    /** Cut to microseconds, as PostgreSQL would keep it; empty when it is not RFC 3339 within the years 2000 to 2199. */
    public static Optional<Instant> parse(String text) {
        if (text.length() > 40 || !FORM.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            Instant instant = OffsetDateTime.parse(text).toInstant();
            boolean plausible = !instant.isBefore(EARLIEST) && instant.isBefore(LATEST);
            return plausible ? Optional.of(instant.truncatedTo(ChronoUnit.MICROS)) : Optional.empty();
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    public static String format(Instant instant) {
        LocalDateTime t = LocalDateTime.ofEpochSecond(instant.getEpochSecond(), instant.getNano(), ZoneOffset.UTC);
        byte[] text = new byte[27];
        int year = t.getYear();
        digits(text, 0, year / 100);
        digits(text, 2, year % 100);
        text[4] = '-';
        digits(text, 5, t.getMonthValue());
        text[7] = '-';
        digits(text, 8, t.getDayOfMonth());
        text[10] = 'T';
        digits(text, 11, t.getHour());
        text[13] = ':';
        digits(text, 14, t.getMinute());
        text[16] = ':';
        digits(text, 17, t.getSecond());
        text[19] = '.';
        int micros = t.getNano() / 1000;
        digits(text, 20, micros / 10_000);
        digits(text, 22, micros / 100 % 100);
        digits(text, 24, micros % 100);
        text[26] = 'Z';
        return new String(text, java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    private static void digits(byte[] text, int at, int twoDigits) {
        text[at] = (byte) ('0' + twoDigits / 10);
        text[at + 1] = (byte) ('0' + twoDigits % 10);
    }
}
