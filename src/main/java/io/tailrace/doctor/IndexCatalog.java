package io.tailrace.doctor;

import io.tailrace.partition.PartitionedTable;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which indexes partitions have. Reads catalogues only; names come quoted as SQL wants them. */
final class IndexCatalog {
    /** A row a table and index; a table without any has one row with nulls, so that it is seen at all. */
    private static final String INDEXES = """
            SELECT t.oid::regclass::text AS relation, t.is_parent, x.indexrelid::regclass::text AS name, x.indisvalid AS valid,
                   x.indisunique AS is_unique, x.indisprimary AS is_primary,
                   coalesce(p.column_name, '') AS present,
                   CASE WHEN x.indexprs IS NULL AND (x.indpred IS NULL OR p.column_name IS NOT NULL) THEN
                       (SELECT array_agg(a.attname::text ORDER BY k.place)
                          FROM unnest(x.indkey::smallint[]) WITH ORDINALITY AS k (attnum, place)
                          JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.attnum
                         WHERE k.place <= x.indnkeyatts) END AS columns,
                   (SELECT h.inhparent::regclass::text FROM pg_inherits h WHERE h.inhrelid = x.indexrelid) AS child_of,
                   coalesce(substring(pg_get_indexdef(x.indexrelid) FROM ' (USING .*)$'), '') AS how
              FROM (SELECT to_regclass(quote_ident($1::text))::oid AS oid, true AS is_parent
                    UNION ALL
                    SELECT i.inhrelid, false FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                     WHERE i.inhparent = to_regclass(quote_ident($1::text)) AND NOT i.inhdetachpending AND c.relkind = 'r') t
              LEFT JOIN pg_index x ON x.indrelid = t.oid
              LEFT JOIN LATERAL (
                SELECT a.attname::text AS column_name FROM pg_attribute a
                 WHERE a.attrelid = x.indrelid AND a.attnum > 0
                   AND pg_get_expr(x.indpred, x.indrelid) = format('(%I IS NOT NULL)', a.attname)) p ON true
             WHERE t.oid IS NOT NULL
             ORDER BY t.is_parent DESC, relation, name""";

    private IndexCatalog() {}

    /** Of a table that is not there: none, and no partitions. */
    static Future<TableIndexes> read(SqlConnection connection, PartitionedTable table) {
        return connection.preparedQuery(INDEXES).execute(Tuple.of(table.name())).map(rows -> {
            List<TableIndexes.Index> parent = new ArrayList<>();
            Map<String, List<TableIndexes.Index>> partitions = new LinkedHashMap<>();
            for (Row row : rows) {
                List<TableIndexes.Index> of = row.getBoolean("is_parent")
                        ? parent
                        : partitions.computeIfAbsent(row.getString("relation"), name -> new ArrayList<>());
                if (row.getString("name") != null) {
                    of.add(index(row));
                }
            }
            return new TableIndexes(table, parent, partitions);
        });
    }

    private static TableIndexes.Index index(Row row) {
        String[] columns = row.getArrayOfStrings("columns");
        return new TableIndexes.Index(
                row.getString("name"),
                row.getBoolean("valid"),
                row.getBoolean("is_unique"),
                row.getBoolean("is_primary"),
                columns == null ? List.of() : List.of(columns),
                row.getString("present"),
                row.getString("child_of"),
                row.getString("how"));
    }
}
