package io.tailrace.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;

/** A day long gone of delivered parts; the very table that the service would have made. */
final class OldDay {
    private OldDay() {}

    /** Answers the partition's name. */
    static String make(Connection admin, LocalDate date, int rows) throws SQLException {
        String name = "telegram_outbox_p" + date.toString().replace('-', '_');
        String from = "'" + date + " 00:00+00'";
        String to = "'" + date.plusDays(1) + " 00:00+00'";
        try (Statement statement = admin.createStatement()) {
            statement.execute("CREATE TABLE " + name + " (LIKE telegram_outbox INCLUDING ALL, PRIMARY KEY (id), CHECK (created_at IS NOT NULL"
                    + " AND created_at >= " + from + " AND created_at < " + to + ")) WITH (fillfactor = 50)");
            statement.execute("CREATE UNIQUE INDEX ON " + name + " (tenant_id, batch_id, part_index)");
            statement.execute("INSERT INTO " + name + " (id, created_at, tenant_id, operation_id, batch_id, part_index, bot_id, ordering_key,"
                    + " method_kind, payload_version, original_payload, delivery_policy, protected, priority, available_at, state, updated_at)"
                    + " SELECT nextval('telegram_outbox_id_seq'), " + from + "::timestamptz + n * interval '1 millisecond',"
                    + " '00000000-0000-0000-0000-000000000001', 'tgop:v1:' || n, 'old:' || n, 0, '7', n % 1000, 'sendMessage', 1,"
                    + " jsonb_build_object('text', repeat('x', 160)), 'create', false, 0, now(), 'delivered', now()"
                    + " FROM generate_series(1, " + rows + ") n");
            statement.execute("ALTER TABLE telegram_outbox ATTACH PARTITION " + name + " FOR VALUES FROM (" + from + ") TO (" + to + ")");
            statement.execute("VACUUM ANALYZE " + name);
            statement.execute("CHECKPOINT");
        }
        return name;
    }
}
