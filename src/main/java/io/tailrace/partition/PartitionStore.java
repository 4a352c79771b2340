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
            SELECT format('CREATE UNIQUE INDEX %1$I ON %2$I.%3$I (%4$s)%5$s',
                          $2::text || '_' || $3::text, n.nspname, $2::text,
                          (SELECT string_agg(quote_ident(k.name), ', ' ORDER BY k.place)
                           FROM unnest($4::text[]) WITH ORDINALITY AS k (name, place)),
                          CASE WHEN $5::text <> '' THEN format(' WHERE %I IS NOT NULL', $5::text) END)
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

    /** Two transactions of its own: never inside one, never under lock_timeout, on a connection of its own. */
    private static final String DETACH = """
            SELECT format('ALTER TABLE %1$I.%2$I DETACH PARTITION %1$I.%3$I CONCURRENTLY', n.nspname, c.relname, $2::text)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    private static final String FINALIZE = """
            SELECT format('ALTER TABLE %1$I.%2$I DETACH PARTITION %1$I.%3$I FINALIZE', n.nspname, c.relname, $2::text)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    private static final String LOCK_DETACHED = """
            SELECT format('LOCK TABLE %1$I.%2$I IN ACCESS EXCLUSIVE MODE', n.nspname, $2::text)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    private static final String DROP_DETACHED = """
            SELECT format('DROP TABLE %1$I.%2$I', n.nspname, $2::text)
            FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.oid = to_regclass(quote_ident($1::text))
            """;

    /** The CHECKs that the detach left, which made the attach read nothing: those that the parent does not have. */
    private static final String DROP_LEFT_CHECKS = """
            SELECT coalesce(string_agg(format('ALTER TABLE %I.%I DROP CONSTRAINT %I', n.nspname, c.relname, k.conname), '; '), 'SELECT')
            FROM pg_class p
            JOIN pg_namespace n ON n.oid = p.relnamespace
            JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = $2::text
            JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'c' AND k.coninhcount = 0
            WHERE p.oid = to_regclass(quote_ident($1::text))
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
                            index.columns().toArray(String[]::new),
                            index.present())));
        }
        return done.compose(made -> run(connection, ATTACH, Tuple.of(table.name(), create.partition(), from, to)))
                .compose(attached -> run(
                        connection,
                        DROP_CHECK,
                        Tuple.of(table.name(), create.partition(), PartitionedTable.CHECK_SUFFIX)));
    }

    /** Phase one of a detach and, when all older transactions that hold the parent have ended, phase two. */
    Future<Void> detach(SqlConnection connection, PartitionedTable table, String partition) {
        return run(connection, DETACH, Tuple.of(table.name(), partition));
    }

    /** Phase two of an interrupted detach. */
    Future<Void> finalizeDetach(SqlConnection connection, PartitionedTable table, String partition) {
        return run(connection, FINALIZE, Tuple.of(table.name(), partition));
    }

    Future<Void> lockDetached(SqlConnection connection, PartitionedTable table, String partition) {
        return run(connection, LOCK_DETACHED, Tuple.of(table.name(), partition));
    }

    Future<Void> dropDetached(SqlConnection connection, PartitionedTable table, String partition) {
        return run(connection, DROP_DETACHED, Tuple.of(table.name(), partition));
    }

    /** Brings a detached table back, with the rows that it has. */
    Future<Void> reattach(SqlConnection connection, PartitionedTable table, String partition, Span span) {
        return run(connection, ATTACH, Tuple.of(table.name(), partition, literal(span.from()), literal(span.to())))
                .compose(attached -> run(connection, DROP_LEFT_CHECKS, Tuple.of(table.name(), partition)));
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
