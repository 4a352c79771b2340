package io.tailrace.partition;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The DDL that changes partitions. PostgreSQL composes and quotes each statement itself ({@code format('%I', …)}), then
 * runs it: no identifier is put into SQL anywhere else.
 *
 * <p>Wants a connection inside a transaction that has a lock_timeout.
 */
final class PartitionStore {
    /**
     * A table of its own, not {@code CREATE … PARTITION OF}, which would take ACCESS EXCLUSIVE on the parent and queue,
     * with every writer behind it, after the oldest reader. Identity columns cannot be attached; defaults, checks,
     * indexes, storage and statistics come along.
     *
     * <p>The CHECK says what the bound will say, so that the attach reads nothing, whatever the table holds by then.
     */
    private static final String CREATE_TABLE = """
            SELECT format('CREATE TABLE %1$I.%2$I (LIKE %1$I.%3$I INCLUDING ALL EXCLUDING IDENTITY, '
                          'CONSTRAINT %4$I CHECK (%5$I IS NOT NULL AND %5$I >= %6$L::timestamptz AND %5$I < %7$L::timestamptz)%9$s)%8$s',
                          n.nspname, $2::text, c.relname, $2::text || $3::text, $4::text, $5::text, $6::text,
                          (SELECT ' WITH (' || string_agg(format('%s = %L', s.name, s.value), ', ') || ')'
                           FROM unnest($7::text[], $8::text[]) AS s (name, value)),
                          (SELECT format(', CONSTRAINT %I PRIMARY KEY (', $2::text || '_pkey')
                                  || string_agg(quote_ident(k.name), ', ' ORDER BY k.place) || ')'
                           FROM unnest($9::text[]) WITH ORDINALITY AS k (name, place)))
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    private static final String CREATE_UNIQUE_INDEX = """
            SELECT format('CREATE UNIQUE INDEX %1$I ON %2$I.%3$I (%4$s)',
                          $2::text || '_' || $3::text, n.nspname, $2::text,
                          (SELECT string_agg(quote_ident(k.name), ', ' ORDER BY k.place)
                           FROM unnest($4::text[]) WITH ORDINALITY AS k (name, place)))
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    /** SHARE UPDATE EXCLUSIVE on the parent, which neither a reader nor a writer holds up. */
    private static final String ATTACH = """
            SELECT format('ALTER TABLE %1$I.%2$I ATTACH PARTITION %1$I.%3$I FOR VALUES FROM (%4$L) TO (%5$L)',
                          n.nspname, c.relname, $2::text, $3::text, $4::text)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    /** Once attached, the CHECK would only cost every planner that meets the partition: docs/adr/0006-partition-engine.md. */
    private static final String DROP_CHECK = """
            SELECT format('ALTER TABLE %1$I.%2$I DROP CONSTRAINT %3$I', n.nspname, $2::text, $2::text || $3::text)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    // With its offset: a bound without one would follow the session's zone.
    private static final DateTimeFormatter LITERAL =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss'+00'", Locale.ROOT).withZone(ZoneOffset.UTC);

    Future<Void> apply(SqlConnection connection, PartitionedTable table, PartitionOperation operation) {
        if (operation instanceof PartitionOperation.Create create) {
            return create(connection, table, create);
        }
        throw new IllegalArgumentException("unknown operation " + operation);
    }

    private Future<Void> create(SqlConnection connection, PartitionedTable table, PartitionOperation.Create create) {
        String from = literal(create.span().from());
        String to = literal(create.span().to());
        Map<String, String> storage = new TreeMap<>(table.storage());
        Future<Void> done = run(
                connection,
                CREATE_TABLE,
                Tuple.from(List.of(
                        table.name(),
                        create.partition(),
                        PartitionedTable.CHECK_SUFFIX,
                        table.column(),
                        from,
                        to,
                        storage.keySet().toArray(String[]::new),
                        storage.values().toArray(String[]::new),
                        table.primaryKey().toArray(String[]::new))));
        for (PartitionedTable.UniqueIndex index : table.uniqueIndexes()) {
            done = done.compose(made -> run(
                    connection,
                    CREATE_UNIQUE_INDEX,
                    Tuple.of(
                            table.name(),
                            create.partition(),
                            index.suffix(),
                            index.columns().toArray(String[]::new))));
        }
        return done.compose(made -> run(connection, ATTACH, Tuple.of(table.name(), create.partition(), from, to)))
                .compose(attached -> run(
                        connection,
                        DROP_CHECK,
                        Tuple.of(table.name(), create.partition(), PartitionedTable.CHECK_SUFFIX)));
    }

    private static Future<Void> run(SqlConnection connection, String composition, Tuple parameters) {
        return connection
                .preparedQuery(composition)
                .execute(parameters)
                .compose(rows ->
                        connection.query(rows.iterator().next().getString(0)).execute())
                .mapEmpty();
    }

    static String literal(Instant instant) {
        return LITERAL.format(instant);
    }
}
