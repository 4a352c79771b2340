package io.tailrace.testkit;

/** The days around today of the partitioned tables. */
final class Partitions {
    static final String AROUND_TODAY = """
            DO $$
            DECLARE day date; t text; name text;
            BEGIN
                FOR i IN -1..7 LOOP
                    day := (tailrace_now() AT TIME ZONE 'UTC')::date + i;
                    FOREACH t IN ARRAY ARRAY ['telegram_outbox', 'telegram_outbox_attempts'] LOOP
                        name := t || '_p' || to_char(day, 'YYYY_MM_DD');
                        EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)', name, t,
                            day::text || ' 00:00:00+00', (day + 1)::text || ' 00:00:00+00');
                        IF t = 'telegram_outbox' THEN
                            EXECUTE format('CREATE UNIQUE INDEX %I ON %I (tenant_id, batch_id, part_index)',
                                name || '_batch_part', name);
                        END IF;
                    END LOOP;
                END LOOP;
            END $$
            """;

    private Partitions() {}
}
