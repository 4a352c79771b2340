package io.tailrace.partition;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How long a partition is: a calendar day or month of UTC, whatever the zone of machine or session. */
public enum Period {
    DAY {
        @Override
        LocalDate first(LocalDate date) {
            return date;
        }

        @Override
        LocalDate next(LocalDate first) {
            return first.plusDays(1);
        }

        @Override
        String suffix(LocalDate first) {
            return String.format(
                    Locale.ROOT, "_p%04d_%02d_%02d", first.getYear(), first.getMonthValue(), first.getDayOfMonth());
        }
    },
    MONTH {
        @Override
        LocalDate first(LocalDate date) {
            return date.withDayOfMonth(1);
        }

        @Override
        LocalDate next(LocalDate first) {
            return first.plusMonths(1);
        }

        @Override
        String suffix(LocalDate first) {
            return String.format(Locale.ROOT, "_p%04d_%02d", first.getYear(), first.getMonthValue());
        }
    };

    abstract LocalDate first(LocalDate date);

    abstract LocalDate next(LocalDate first);

    abstract String suffix(LocalDate first);

    /** The period that {@code instant} lies in. */
    public Span at(Instant instant) {
        return from(first(date(instant)));
    }

    /** The current period and the {@code ahead} after it, in order, each beginning where the one before ends. */
    public List<Span> upcoming(Instant now, int ahead) {
        List<Span> spans = new ArrayList<>(ahead + 1);
        LocalDate first = first(date(now));
        for (int i = 0; i <= ahead; i++) {
            spans.add(from(first));
            first = next(first);
        }
        return spans;
    }

    /** The name of {@code table}'s partition for this period: {@code telegram_outbox_p2026_11_30}, {@code activities_p2026_11}. */
    public String partitionName(String table, Span period) {
        return table + suffix(date(period.from()));
    }

    /** {@code day} or {@code month}, as configuration and the wire have it. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    private Span from(LocalDate first) {
        return new Span(startOf(first), startOf(next(first)));
    }

    private static LocalDate date(Instant instant) {
        return LocalDate.ofInstant(instant, ZoneOffset.UTC);
    }

    private static Instant startOf(LocalDate date) {
        return date.atStartOfDay(ZoneOffset.UTC).toInstant();
    }
}
