package io.tailrace.doctor;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The reads behind a diagnosis. All on catalogues and statistics; takes no lock on a table of ours. */
final class DoctorCatalog {
    private static final String SETTINGS = """
            SELECT name, setting FROM pg_settings
             WHERE name IN ('server_version_num', 'fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum', 'track_counts',
                            'max_connections', 'superuser_reserved_connections', 'default_transaction_isolation',
                            'max_locks_per_transaction', 'lc_messages', 'old_snapshot_threshold')""";

    private static final String CLOCK = """
            SELECT clock_timestamp() AS at,
                   (extract(epoch FROM tailrace_now() - clock_timestamp()) * 1000)::bigint AS offset_ms""";

    private static final String HOLDERS = """
            SELECT 'pid ' || a.pid || coalesce(' (' || nullif(a.application_name, '') || ', ' || a.state || ')', '') AS who,
                   (extract(epoch FROM clock_timestamp() - a.xact_start) * 1000)::bigint AS age_ms
              FROM pg_stat_activity a
             WHERE a.datname = current_database() AND a.backend_xmin IS NOT NULL AND a.pid <> pg_backend_pid()
            UNION ALL
            SELECT 'prepared transaction ' || p.gid, (extract(epoch FROM clock_timestamp() - p.prepared) * 1000)::bigint
              FROM pg_prepared_xacts p WHERE p.database = current_database()
            UNION ALL
            SELECT 'replication slot ' || s.slot_name || CASE WHEN s.active THEN '' ELSE ' (nobody is connected to it)' END, 0
              FROM pg_replication_slots s WHERE s.xmin IS NOT NULL AND NOT s.active
            ORDER BY 2 DESC LIMIT 5""";

    // One that is just being built is not valid yet.
    private static final String INVALID_INDEXES = """
            SELECT i.indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
             WHERE NOT i.indisvalid AND c.relkind = 'r'
               AND NOT EXISTS (SELECT FROM pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid)
               AND c.relnamespace NOT IN ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
             ORDER BY 1 LIMIT 20""";

    private static final String IN_FLIGHT = """
            SELECT coalesce(pg_stat_get_dead_tuples(c.oid), 0) AS dead, coalesce(pg_stat_get_live_tuples(c.oid), 0) AS live,
                   (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::integer AS connections
              FROM pg_class c WHERE c.oid = to_regclass('telegram_outbox_inflight')""";

    private DoctorCatalog() {}

    static Future<Facts> facts(SqlConnection connection) {
        return connection.query(SETTINGS).execute().compose(settings -> connection
                .query(CLOCK)
                .execute()
                .compose(clock -> connection.query(HOLDERS).execute().compose(holders -> connection
                        .query(INVALID_INDEXES)
                        .execute()
                        .compose(invalid -> connection
                                .query(IN_FLIGHT)
                                .execute()
                                .map(inFlight -> facts(
                                        settings,
                                        clock.iterator().next(),
                                        holders,
                                        invalid,
                                        inFlight.iterator().next()))))));
    }

    private static Facts facts(
            Iterable<Row> settings, Row clock, Iterable<Row> holders, Iterable<Row> invalid, Row inFlight) {
        Map<String, String> byName = new HashMap<>();
        settings.forEach(row -> byName.put(row.getString("name"), row.getString("setting")));
        List<Facts.Holder> oldest = new ArrayList<>();
        holders.forEach(
                row -> oldest.add(new Facts.Holder(row.getString("who"), Duration.ofMillis(row.getLong("age_ms")))));
        List<String> indexes = new ArrayList<>();
        invalid.forEach(row -> indexes.add(row.getString("name")));
        return new Facts(
                Integer.parseInt(byName.getOrDefault("server_version_num", "0")),
                byName,
                clock.getOffsetDateTime("at").toInstant(),
                Duration.ofMillis(clock.getLong("offset_ms")),
                oldest,
                indexes,
                inFlight.getLong("dead"),
                inFlight.getLong("live"),
                inFlight.getInteger("connections"));
    }
}
