package io.tailrace.partition;

import io.tailrace.db.DatabaseFailure;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What PostgreSQL's catalogue says about partitions. Reads only, and takes no lock on the tables it reads about, so it
 * answers also while one of them is locked.
 *
 * <p>Every method wants a connection inside a transaction: it pins the session's zone and date style for the length of
 * it, because the catalogue prints bounds in them, and bounds each statement by five seconds. Failures are {@link DatabaseFailure}.
 *
 * @see <a href="https://www.postgresql.org/docs/17/catalog-pg-inherits.html">pg_inherits</a>
 */
final class PartitionCatalog {
    // A style with zone abbreviations (SQL, German) would print bounds that do not read back as the same instants.
    private static final String PIN_SESSION = """
            SET LOCAL TimeZone = 'UTC';
            SET LOCAL DateStyle = 'ISO, YMD';
            SET LOCAL statement_timeout = '5s'
            """;

    private static final String NOW = "SELECT tailrace_now()";

    private static final String PARENT = """
            SELECT coalesce(p.partstrat::text, '')                  AS strategy,
                   coalesce(p.partnatts, 0)::int                    AS key_columns,
                   coalesce(a.attname::text, '')                    AS key_column,
                   coalesce(format_type(a.atttypid, NULL), '')      AS key_type,
                   EXISTS (SELECT FROM pg_constraint f
                           WHERE f.contype = 'f' AND c.oid IN (f.conrelid, f.confrelid)) AS has_foreign_key
            FROM pg_class c
            LEFT JOIN pg_partitioned_table p ON p.partrelid = c.oid
            LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    /** Bounds are read only where the parent's key is one timestamptz; elsewhere they are given back as text. */
    private static final String PARTITIONS = """
            SELECT b.*,
                   CASE WHEN b.readable AND b.lower_text LIKE '''%' AND b.lower_text NOT LIKE '%infinity%'
                        THEN trim(BOTH '''' FROM b.lower_text)::timestamptz END AS lower_bound,
                   CASE WHEN b.readable AND b.upper_text LIKE '''%' AND b.upper_text NOT LIKE '%infinity%'
                        THEN trim(BOTH '''' FROM b.upper_text)::timestamptz END AS upper_bound
            FROM (SELECT c.relname::text AS name, c.oid AS oid, c.relkind::text AS kind, i.inhdetachpending AS pending,
                         e.expression,
                         substring(e.expression FROM '^FOR VALUES FROM \\((.*)\\) TO \\(.*\\)$') AS lower_text,
                         substring(e.expression FROM '^FOR VALUES FROM \\(.*\\) TO \\((.*)\\)$') AS upper_text,
                         p.partstrat = 'r' AND p.partnatts = 1
                             AND a.atttypid = 'timestamptz'::regtype AS readable
                  FROM pg_inherits i
                  JOIN pg_class c ON c.oid = i.inhrelid
                  JOIN pg_partitioned_table p ON p.partrelid = i.inhparent
                  LEFT JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
                  -- Relation 0: the expression holds no column, and with its own oid the table would be locked.
                  CROSS JOIN LATERAL (SELECT coalesce(pg_get_expr(c.relpartbound, 0), '') AS expression) e
                  WHERE i.inhparent = to_regclass(quote_ident($1::text))) b
            ORDER BY lower_bound NULLS FIRST, b.name
            """;

    private static final String NAMES_TAKEN = """
            SELECT c.relname::text AS name
            FROM pg_class c
            WHERE c.relname = ANY ($2::text[]::name[])
              AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass(quote_ident($1::text)))
            """;

    private static final String SIZES = """
            SELECT c.relname::text AS name,
                   greatest(c.reltuples::bigint, pg_stat_get_live_tuples(c.oid), 0) AS row_estimate,
                   CASE WHEN c.relkind = 'f' THEN 0 ELSE coalesce(pg_total_relation_size(c.oid), 0) END AS bytes
            FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = to_regclass(quote_ident($1::text))
            """;

    /** How large a partition is; {@code rows} is an estimate that costs no scan. */
    record Size(String partition, long rows, long bytes) {}

    /** Everything a plan for {@code table} rests on, at PostgreSQL's now. */
    Future<Observation> observe(SqlConnection connection, PartitionedTable table) {
        return connection
                .query(PIN_SESSION)
                .execute()
                .compose(pinned -> connection.query(NOW).execute())
                .map(rows -> instant(rows.iterator().next(), 0))
                .compose(now -> parent(connection, table).compose(parent -> partitions(connection, table)
                        .compose(found -> namesTaken(connection, table, now)
                                .map(taken -> new Observation(now, parent.orNull(), found, taken)))))
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    /** The size of every partition. Waits, within lock_timeout, for a partition that is locked exclusively. */
    Future<List<Size>> sizes(SqlConnection connection, PartitionedTable table) {
        return connection
                .preparedQuery(SIZES)
                .execute(Tuple.of(table.name()))
                .map(rows -> {
                    List<Size> sizes = new ArrayList<>();
                    for (Row row : rows) {
                        sizes.add(new Size(row.getString("name"), row.getLong("row_estimate"), row.getLong("bytes")));
                    }
                    return sizes;
                })
                .recover(cause -> Future.failedFuture(DatabaseFailure.of(cause)));
    }

    /** A parent or its absence; a Future's value may not be null here. */
    private record Lookup(Observation.@Nullable Parent orNull) {}

    private static Future<Lookup> parent(SqlConnection connection, PartitionedTable table) {
        return connection.preparedQuery(PARENT).execute(Tuple.of(table.name())).map(rows -> {
            if (rows.size() == 0) {
                return new Lookup(null);
            }
            Row row = rows.iterator().next();
            return new Lookup(new Observation.Parent(
                    row.getString("strategy"),
                    row.getInteger("key_columns"),
                    row.getString("key_column"),
                    row.getString("key_type"),
                    row.getBoolean("has_foreign_key")));
        });
    }

    private static Future<List<FoundPartition>> partitions(SqlConnection connection, PartitionedTable table) {
        return connection
                .preparedQuery(PARTITIONS)
                .execute(Tuple.of(table.name()))
                .map(rows -> {
                    List<FoundPartition> found = new ArrayList<>(rows.size());
                    for (Row row : rows) {
                        found.add(new FoundPartition(
                                row.getString("name"),
                                kind(row.getString("kind")),
                                row.getBoolean("pending"),
                                bounds(row)));
                    }
                    return found;
                });
    }

    private static Future<Set<String>> namesTaken(SqlConnection connection, PartitionedTable table, Instant now) {
        String[] names = PartitionPlanner.expectedNames(table, now).toArray(String[]::new);
        return connection
                .preparedQuery(NAMES_TAKEN)
                .execute(Tuple.of(table.name(), (Object) names))
                .map(PartitionCatalog::names);
    }

    private static Set<String> names(RowSet<Row> rows) {
        Set<String> names = new HashSet<>();
        rows.forEach(row -> names.add(row.getString("name")));
        return names;
    }

    private static FoundPartition.Kind kind(String relkind) {
        return switch (relkind) {
            case "p" -> FoundPartition.Kind.PARTITIONED;
            case "f" -> FoundPartition.Kind.FOREIGN;
            default -> FoundPartition.Kind.TABLE;
        };
    }

    private static PartitionBounds bounds(Row row) {
        String expression = row.getString("expression");
        if (expression.equals("DEFAULT")) {
            return new PartitionBounds.Default();
        }
        Instant from = bound(row, "lower_text", "lower_bound", Instant.MIN);
        Instant to = bound(row, "upper_text", "upper_bound", Instant.MAX);
        if (!row.getBoolean("readable") || from == null || to == null || !from.isBefore(to)) {
            return new PartitionBounds.Unreadable(expression);
        }
        return new PartitionBounds.Range(new Span(from, to));
    }

    private static @Nullable Instant bound(Row row, String textColumn, String instantColumn, Instant open) {
        String text = row.getString(textColumn);
        OffsetDateTime bound = row.getOffsetDateTime(instantColumn);
        if (bound != null) {
            return bound.toInstant();
        }
        boolean isOpen = text != null
                && switch (text) {
                    case "MINVALUE", "'-infinity'" -> open.equals(Instant.MIN);
                    case "MAXVALUE", "'infinity'" -> open.equals(Instant.MAX);
                    default -> false;
                };
        return isOpen ? open : null;
    }

    private static Instant instant(Row row, int column) {
        return row.get(OffsetDateTime.class, column).toInstant();
    }
}
