package io.tailrace.db;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** What every store does with values on their way to and from PostgreSQL. */
public final class Rows {
    private Rows() {}

    /** One value of each, as an array parameter takes them. */
    public static <S, T> @Nullable T[] column(
            List<S> rows, IntFunction<@Nullable T[]> array, Function<S, @Nullable T> value) {
        @Nullable T[] column = array.apply(rows.size());
        for (int i = 0; i < column.length; i++) {
            column[i] = value.apply(rows.get(i));
        }
        return column;
    }

    public static <T> List<T> map(RowSet<Row> rows, Function<Row, T> mapper) {
        List<T> mapped = new ArrayList<>(rows.size());
        rows.forEach(row -> mapped.add(mapper.apply(row)));
        return mapped;
    }

    /** As a timestamptz parameter takes it; the driver binds no Instant. */
    public static @Nullable OffsetDateTime utc(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    public static Instant instant(Row row, String column) {
        return row.get(OffsetDateTime.class, column).toInstant();
    }

    public static @Nullable Instant instantOrNull(Row row, String column) {
        OffsetDateTime at = row.get(OffsetDateTime.class, column);
        return at == null ? null : at.toInstant();
    }
}
