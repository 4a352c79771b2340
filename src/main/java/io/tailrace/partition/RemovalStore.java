package io.tailrace.partition;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The manifest of removals, who stands in the way of one, and the session's locks and bounds around it. */
final class RemovalStore {
    private static final String RECORDS = """
            SELECT r.period_from, r.period_to, r.partition, r.partition_oid::bigint AS oid, r.stage, r.reason, r.since,
                   c.oid IS NOT NULL AS is_there, i.inhrelid IS NOT NULL AS attached
              FROM partition_removals r
              -- By oid and name: an oid may be used again, a name may be taken over.
              LEFT JOIN pg_class c ON c.oid = r.partition_oid AND c.relname = r.partition
              LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = to_regclass(quote_ident($1::text))
             WHERE r.table_name = $1::text AND r.stage <> 'dropped'
             ORDER BY r.period_from""";

    /** {@code since} stays while a period is kept, whatever keeps it. */
    private static final String RECORD = """
            INSERT INTO partition_removals AS r (table_name, period_from, period_to, partition, partition_oid, stage, reason,
                                                 since, updated_at, rows_estimate, bytes)
            SELECT $1::text, $2::timestamptz, $3::timestamptz, c.relname, c.oid, $5::text, $6::text, t.at, t.at,
                   greatest(c.reltuples::bigint, pg_stat_get_live_tuples(c.oid), 0), pg_total_relation_size(c.oid)
              FROM pg_class c CROSS JOIN (SELECT tailrace_now() AS at) t
             WHERE c.oid = to_regclass(quote_ident($4::text))
            ON CONFLICT (table_name, period_from) DO UPDATE
               SET stage = excluded.stage, reason = excluded.reason, partition = excluded.partition,
                   partition_oid = excluded.partition_oid, updated_at = excluded.updated_at,
                   rows_estimate = excluded.rows_estimate, bytes = excluded.bytes,
                   since = CASE WHEN r.stage = excluded.stage THEN r.since ELSE excluded.since END""";

    private static final String DETACHED = """
            UPDATE partition_removals SET stage = 'detached', detach_ms = $3::bigint, since = tailrace_now(), updated_at = tailrace_now()
             WHERE table_name = $1::text AND period_from = $2::timestamptz AND stage = 'detaching'""";

    private static final String DROPPED = """
            UPDATE partition_removals SET stage = 'dropped', reason = NULL, drop_ms = $3::bigint,
                   since = tailrace_now(), updated_at = tailrace_now()
             WHERE table_name = $1::text AND period_from = $2::timestamptz""";

    private static final String FORGET =
            "DELETE FROM partition_removals WHERE table_name = $1::text AND period_from = $2::timestamptz";

    /** One row when this very table is still ours to drop. Locks the manifest's row until the end of the transaction. */
    private static final String STILL_DETACHED = """
            SELECT (SELECT tailrace_now()) AS now FROM partition_removals r
              JOIN pg_class c ON c.oid = r.partition_oid AND c.relname = r.partition
             WHERE r.table_name = $1::text AND r.period_from = $2::timestamptz AND r.partition_oid = $3::bigint::oid
               AND r.stage IN ('detaching', 'detached')
               AND NOT EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.oid)
               FOR UPDATE OF r""";

    /** Old transactions that hold the parent or the partition: a detach would wait for them, and writers of the period fail. */
    private static final String HOLDERS = """
            SELECT a.pid, (extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint AS age_ms, a.application_name AS app
              FROM pg_stat_activity a
             WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
               AND a.xact_start < clock_timestamp() - interval '1 second'
               AND EXISTS (SELECT FROM pg_locks l WHERE l.pid = a.pid AND l.granted
                              AND l.relation IN (to_regclass(quote_ident($1::text)), to_regclass(quote_ident($2::text))))
             ORDER BY a.xact_start LIMIT 1""";

    /** The oldest transaction that can still see a partition whose detach is pending. */
    private static final String SNAPSHOTS = """
            SELECT a.pid, (extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint AS age_ms, a.application_name AS app
              FROM pg_stat_activity a
             WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_xmin IS NOT NULL
               AND a.xact_start < clock_timestamp() - interval '1 second'
             ORDER BY a.xact_start LIMIT 1""";

    private static final String TRY_PERIOD =
            "SELECT pg_try_advisory_lock(tailrace.period_lock($1::text, $2::timestamptz)) AS held";

    private static final String FREE_PERIOD =
            "SELECT pg_advisory_unlock(tailrace.period_lock($1::text, $2::timestamptz))";

    private static final String CLOCK = "SELECT clock_timestamp() AS at";

    /**
     * DETACH CONCURRENTLY and FINALIZE wait for others: a lock_timeout would only leave the detach pending. When this
     * process dies, PostgreSQL notices within seconds and ends the statement, so that another instance may take over.
     */
    private static final String PATIENT = """
            SELECT set_config('lock_timeout', '0', false), set_config('statement_timeout', $1::text, false),
                   set_config('client_connection_check_interval', '5s', false)""";

    private static final String BOUNDED = """
            SELECT set_config('lock_timeout', $1::text, false), set_config('statement_timeout', '60s', false)""";

    /** Somebody's transaction. */
    record Holder(int pid, Duration age, String application) {
        @Override
        public String toString() {
            return "pid " + pid + (application.isEmpty() ? "" : " (" + application + ")") + ", whose transaction is "
                    + age.toSeconds() + " s old";
        }
    }

    Future<List<RemovalRecord>> records(SqlConnection connection, PartitionedTable table) {
        return connection.preparedQuery(RECORDS).execute(Tuple.of(table.name())).map(rows -> {
            List<RemovalRecord> records = new ArrayList<>();
            for (Row row : rows) {
                records.add(new RemovalRecord(
                        new Span(instant(row, "period_from"), instant(row, "period_to")),
                        row.getString("partition"),
                        row.getLong("oid"),
                        RemovalRecord.Stage.valueOf(row.getString("stage").toUpperCase(Locale.ROOT)),
                        row.getString("reason"),
                        instant(row, "since"),
                        row.getBoolean("is_there"),
                        row.getBoolean("attached")));
            }
            return records;
        });
    }

    Future<Void> record(
            SqlConnection connection,
            PartitionedTable table,
            String partition,
            Span span,
            RemovalRecord.Stage stage,
            @Nullable String reason) {
        return connection
                .preparedQuery(RECORD)
                .execute(Tuple.from(new Object[] {
                    table.name(),
                    utc(span.from()),
                    utc(span.to()),
                    partition,
                    stage.name().toLowerCase(Locale.ROOT),
                    reason
                }))
                .mapEmpty();
    }

    Future<Void> detached(SqlConnection connection, PartitionedTable table, Span span, Duration took) {
        return connection
                .preparedQuery(DETACHED)
                .execute(Tuple.of(table.name(), utc(span.from()), took.toMillis()))
                .mapEmpty();
    }

    Future<Void> dropped(SqlConnection connection, PartitionedTable table, Span span, Duration took) {
        return connection
                .preparedQuery(DROPPED)
                .execute(Tuple.of(table.name(), utc(span.from()), took.toMillis()))
                .mapEmpty();
    }

    Future<Void> forget(SqlConnection connection, PartitionedTable table, Span span) {
        return connection
                .preparedQuery(FORGET)
                .execute(Tuple.of(table.name(), utc(span.from())))
                .mapEmpty();
    }

    /** PostgreSQL's now, if the table of that record is still detached by us; its manifest row is locked. */
    Future<Optional<Instant>> stillDetached(SqlConnection connection, PartitionedTable table, RemovalRecord record) {
        return connection
                .preparedQuery(STILL_DETACHED)
                .execute(Tuple.of(table.name(), utc(record.span().from()), record.oid()))
                .map(rows -> rows.size() == 0
                        ? Optional.empty()
                        : Optional.of(instant(rows.iterator().next(), "now")));
    }

    Future<Optional<Holder>> holder(SqlConnection connection, PartitionedTable table, String partition) {
        return connection
                .preparedQuery(HOLDERS)
                .execute(Tuple.of(table.name(), partition))
                .map(RemovalStore::holder);
    }

    Future<Optional<Holder>> oldestSnapshot(SqlConnection connection) {
        return connection.preparedQuery(SNAPSHOTS).execute().map(RemovalStore::holder);
    }

    private static Optional<Holder> holder(Iterable<Row> rows) {
        for (Row row : rows) {
            String app = row.getString("app");
            return Optional.of(new Holder(
                    row.getInteger("pid"), Duration.ofMillis(row.getLong("age_ms")), app == null ? "" : app));
        }
        return Optional.empty();
    }

    /** Takes the period's lock for the session, or not; never waits. */
    Future<Boolean> tryPeriod(SqlConnection connection, PartitionedTable table, Span span) {
        return connection
                .preparedQuery(TRY_PERIOD)
                .execute(Tuple.of(table.name(), utc(span.from())))
                .map(rows -> rows.iterator().next().getBoolean("held"));
    }

    Future<Void> freePeriod(SqlConnection connection, PartitionedTable table, Span span) {
        return connection
                .preparedQuery(FREE_PERIOD)
                .execute(Tuple.of(table.name(), utc(span.from())))
                .mapEmpty();
    }

    /** The real clock, not the one that tests move. */
    Future<Instant> clock(SqlConnection connection) {
        return connection
                .query(CLOCK)
                .execute()
                .map(rows -> instant(rows.iterator().next(), "at"));
    }

    Future<Void> patient(SqlConnection connection, Duration wait) {
        return connection
                .preparedQuery(PATIENT)
                .execute(Tuple.of(wait.toMillis() + "ms"))
                .mapEmpty();
    }

    Future<Void> bounded(SqlConnection connection, Duration lockTimeout) {
        return connection
                .preparedQuery(BOUNDED)
                .execute(Tuple.of(lockTimeout.toMillis() + "ms"))
                .mapEmpty();
    }

    private static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    private static Instant instant(Row row, String column) {
        return row.getOffsetDateTime(column).toInstant();
    }
}
