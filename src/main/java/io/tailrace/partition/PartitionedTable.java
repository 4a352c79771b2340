package io.tailrace.partition;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What the engine has to know of a table that it keeps partitioned: everything in which one table differs from another.
 *
 * @param name the partitioned parent, unquoted, as the search path finds it
 * @param column the partition key, a {@code timestamptz}
 * @param ahead how many periods after the current one must always exist, 1 to 400
 * @param primaryKey of each partition, where the parent has none because its own would have to contain the partition key;
 *     empty: as the parent says
 * @param uniqueIndexes made on each partition and not on the parent, where they need not contain the partition key
 * @param storage storage parameters of each partition, such as {@code fillfactor}
 */
public record PartitionedTable(
        String name,
        String column,
        Period period,
        int ahead,
        List<String> primaryKey,
        List<UniqueIndex> uniqueIndexes,
        Map<String, String> storage) {

    static final int DAYS_AHEAD = 7;
    static final int MONTHS_AHEAD = 3;
    private static final int MOST_AHEAD = 400;
    private static final int LONGEST_IDENTIFIER = 63;
    private static final String LONGEST_SUFFIX = "_p2026_11_30";
    static final String CHECK_SUFFIX = "_bounds";
    private static final Pattern STORAGE_NAME = Pattern.compile("[a-z_]+(\\.[a-z_]+)?");

    /**
     * A unique index of a partition; its name is the partition's, an underscore and {@code suffix}.
     *
     * @param present a column: the index holds the rows that have a value there; empty: all rows
     */
    public record UniqueIndex(String suffix, List<String> columns, String present) {
        public UniqueIndex {
            columns = List.copyOf(columns);
            if (suffix.isEmpty() || columns.isEmpty()) {
                throw new IllegalArgumentException("a unique index needs a suffix and at least one column");
            }
        }
    }

    public PartitionedTable {
        primaryKey = List.copyOf(primaryKey);
        uniqueIndexes = List.copyOf(uniqueIndexes);
        storage = Map.copyOf(storage);
        if (name.isEmpty() || column.isEmpty()) {
            throw new IllegalArgumentException("a partitioned table needs a name and a column");
        }
        if (ahead < 1 || ahead > MOST_AHEAD) {
            throw new IllegalArgumentException(
                    "ahead of " + name + " must be 1 to " + MOST_AHEAD + " periods, not " + ahead);
        }
        List<String> longest = new ArrayList<>(List.of(CHECK_SUFFIX));
        uniqueIndexes.forEach(index -> longest.add("_" + index.suffix()));
        for (String suffix : longest) {
            // PostgreSQL cuts a longer name silently, and two partitions would then share one.
            String derived = name + LONGEST_SUFFIX + suffix;
            if (derived.getBytes(StandardCharsets.UTF_8).length > LONGEST_IDENTIFIER) {
                throw new IllegalArgumentException(
                        "the name " + derived + " would be longer than " + LONGEST_IDENTIFIER + " bytes");
            }
        }
        for (String parameter : storage.keySet()) {
            if (!STORAGE_NAME.matcher(parameter).matches()) {
                throw new IllegalArgumentException("not a storage parameter: " + parameter);
            }
        }
    }

    /** A table of one partition a day: today and the seven days after it exist. */
    public static PartitionedTable daily(String name, String column) {
        return new PartitionedTable(name, column, Period.DAY, DAYS_AHEAD, List.of(), List.of(), Map.of());
    }

    /** A table of one partition a month: the current month and the three after it exist. */
    public static PartitionedTable monthly(String name, String column) {
        return new PartitionedTable(name, column, Period.MONTH, MONTHS_AHEAD, List.of(), List.of(), Map.of());
    }

    public PartitionedTable withPrimaryKey(String... columns) {
        return new PartitionedTable(name, column, period, ahead, List.of(columns), uniqueIndexes, storage);
    }

    public PartitionedTable withUnique(String suffix, String... columns) {
        return with(new UniqueIndex(suffix, List.of(columns), ""));
    }

    /** Of the rows only that have a value in the last of the columns. */
    public PartitionedTable withUniqueIfPresent(String suffix, String... columns) {
        return with(new UniqueIndex(suffix, List.of(columns), columns[columns.length - 1]));
    }

    private PartitionedTable with(UniqueIndex index) {
        List<UniqueIndex> indexes = new ArrayList<>(uniqueIndexes);
        indexes.add(index);
        return new PartitionedTable(name, column, period, ahead, primaryKey, indexes, storage);
    }

    public PartitionedTable withStorage(Map<String, String> parameters) {
        return new PartitionedTable(name, column, period, ahead, primaryKey, uniqueIndexes, parameters);
    }

    public PartitionedTable withAhead(int periods) {
        return new PartitionedTable(name, column, period, periods, primaryKey, uniqueIndexes, storage);
    }

    String partitionName(Span span) {
        return period.partitionName(name, span);
    }
}
