-- What both layouts share: partitions, one clock reading, payloads, and the table the figures go to.
CREATE SCHEMA bench;

CREATE TABLE bench.results (
    section text NOT NULL,
    subject text NOT NULL, -- layout or variant
    setting text NOT NULL, -- keys, partitions, fillfactor …
    name    text NOT NULL, -- what was measured, with its unit
    value   numeric NOT NULL,
    no      bigint GENERATED ALWAYS AS IDENTITY
);

-- Makes daily partitions of parent from today + first to today + last, with the backstop index that the
-- partition engine gives every day of the outbox (OUT-28).
CREATE FUNCTION bench.make_days(parent regclass, first int, last int, fill int DEFAULT 100, vacuum bool DEFAULT true)
    RETURNS void LANGUAGE plpgsql
AS $$
DECLARE
    schema text := (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent);
    base   text := (SELECT relname FROM pg_class WHERE oid = parent);
    today  date := (now() AT TIME ZONE 'UTC')::date;
    child  text;
BEGIN
    FOR d IN first .. last LOOP
        child := format('%I.%I', schema, base || to_char(today + d, '"_p"YYYY_MM_DD'));
        CONTINUE WHEN to_regclass(child) IS NOT NULL;
        EXECUTE format('CREATE TABLE %s PARTITION OF %s FOR VALUES FROM (%L) TO (%L) WITH (fillfactor = %s, autovacuum_enabled = %s)',
                       child, parent, (today + d)::text || ' 00:00:00+00', (today + d + 1)::text || ' 00:00:00+00', fill, vacuum);
        IF base = 'telegram_outbox' THEN
            EXECUTE format('CREATE UNIQUE INDEX ON %s (tenant_id, batch_id, part_index)', child);
        END IF;
    END LOOP;
END $$;

-- A sendMessage call of 200 bytes.
CREATE FUNCTION bench.payload() RETURNS jsonb LANGUAGE sql IMMUTABLE
RETURN jsonb_build_object('chat_id', -1001234567890, 'parse_mode', 'HTML',
                          'text', rpad('The quick brown fox jumps over the lazy dog. ', 140, 'Pack my box. '));

CREATE FUNCTION bench.tenant() RETURNS uuid LANGUAGE sql IMMUTABLE
RETURN '00000000-0000-0000-0000-000000000001'::uuid;

CREATE FUNCTION bench.operation_id(batch text, part int) RETURNS text LANGUAGE sql IMMUTABLE
RETURN 'tgop:v1:' || encode(sha256(convert_to('openplotva:telegram-outbox:v1', 'UTF8') || '\x00'::bytea || convert_to(batch, 'UTF8')
    || '\x00'::bytea || 'sendMessage'::bytea || '\x00'::bytea || int4send(part)), 'hex');

-- Ended parts, spread evenly over the past days that exist, three a batch: what lies in the horizon of the look-up.
CREATE FUNCTION bench.history(parent regclass, days int, rows_a_day int) RETURNS void LANGUAGE plpgsql
AS $$
BEGIN
    EXECUTE format($q$
        INSERT INTO %s (id, created_at, tenant_id, operation_id, batch_id, part_index, bot_id, chat_id, ordering_key,
            method_kind, payload_version, original_payload, delivery_policy, protected, priority, available_at, state,
            attempt_count, lease_token, last_outcome, updated_at)
        SELECT nextval('public.telegram_outbox_id_seq'), t, bench.tenant(), bench.operation_id(b, n %% 3), b, n %% 3, '7', '1', 'dialog:' || n,
            'sendMessage', 1, bench.payload(), 'create', false, 0, t, 'delivered', 1, 1, 'delivered', t
        FROM generate_series(0, $1 - 1) d, generate_series(0, $2 - 1) n,
             LATERAL (SELECT date_trunc('day', now(), 'UTC') - d * interval '1 day' + n * interval '1 ms' AS t,
                             'history:' || d || ':' || n / 3 AS b) x
        ORDER BY d DESC, n $q$, parent) USING days, rows_a_day;
END $$;

-- Locks that enqueue takes under either layout, so that neither is measured without them: one a batch, and the row
-- of each key. Answers the keys, part by part.
CREATE SEQUENCE bench.batch_no;

CREATE FUNCTION bench.lock_batches(batches text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(h) FROM (SELECT hashtextextended(b, 0) FROM unnest(batches) b ORDER BY 1) s (h);
END $$;

CREATE FUNCTION bench.lock_keys(names text[]) RETURNS bigint[] LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
    keys bigint[];
BEGIN
    PERFORM FROM telegram_outbox_keys k JOIN unnest(names) n ON k.ordering_key = n
      WHERE k.tenant_id = bench.tenant() AND k.bot_id = '7' ORDER BY k.key_id FOR NO KEY UPDATE OF k;
    SELECT array_agg(k.key_id ORDER BY n.no) INTO keys
      FROM unnest(names) WITH ORDINALITY n (name, no)
      JOIN telegram_outbox_keys k ON k.tenant_id = bench.tenant() AND k.bot_id = '7' AND k.ordering_key = n.name;
    RETURN keys;
END $$;

CREATE FUNCTION bench.make_keys(n int) RETURNS void LANGUAGE sql AS $$
    INSERT INTO telegram_outbox_keys (tenant_id, bot_id, ordering_key)
    SELECT bench.tenant(), '7', 'dialog:7:' || k || ':0' FROM generate_series(0, n - 1) k
    ON CONFLICT DO NOTHING
$$;

-- What the tables of a layout have come to: sizes and row versions, a table group. The tables of keys and blobs are
-- the same under both and left out.
CREATE VIEW bench.counters AS
SELECT CASE s.schemaname WHEN 'public' THEN 'narrow' ELSE s.schemaname END AS layout,
       CASE WHEN s.relname LIKE '%attempts%' THEN 'attempts' WHEN s.relname LIKE '%inflight' THEN 'inflight' ELSE 'outbox' END AS part,
       sum(n_tup_upd) AS updates, sum(n_tup_hot_upd) AS hot, sum(n_tup_del) AS deletes, sum(n_dead_tup) AS dead,
       sum(pg_table_size(s.relid)) AS table_bytes, sum(pg_indexes_size(s.relid)) AS index_bytes,
       pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal
  FROM pg_stat_user_tables s
 WHERE s.relname ~ '^telegram_outbox(_attempts)?_p' OR s.relname = 'telegram_outbox_inflight'
 GROUP BY 1, 2;

CREATE TABLE bench.before AS SELECT * FROM bench.counters WITH NO DATA;

-- What one part has cost since bench.before was filled.
CREATE FUNCTION bench.costs(a_layout text, parts numeric) RETURNS TABLE (name text, value numeric) LANGUAGE sql AS $$
    WITH d AS (
        SELECT c.part, c.updates - b.updates AS updates, c.hot - b.hot AS hot, c.deletes - b.deletes AS deletes, c.dead - b.dead AS dead,
               c.table_bytes - b.table_bytes AS table_bytes, c.index_bytes - b.index_bytes AS index_bytes, c.wal - b.wal AS wal
          FROM bench.counters c JOIN bench.before b USING (layout, part) WHERE c.layout = a_layout
    )
    SELECT x.name, round(x.value, 3) FROM (
        SELECT 'WAL bytes a part', max(wal) / parts FROM d
        UNION ALL SELECT 'row versions made dead a part', sum(updates + deletes) / parts FROM d
        UNION ALL SELECT 'of them in ' || part, (updates + deletes) / parts FROM d
        UNION ALL SELECT 'dead tuples left a part', sum(dead) / parts FROM d
        UNION ALL SELECT 'of them left in ' || part, dead / parts FROM d
        UNION ALL SELECT 'HOT share of updates, ' || part, hot / nullif(updates, 0) FROM d
        UNION ALL SELECT 'HOT share of updates, all', sum(hot) / nullif(sum(updates), 0) FROM d
        UNION ALL SELECT 'table bytes a part', sum(table_bytes) / parts FROM d
        UNION ALL SELECT 'index bytes a part', sum(index_bytes) / parts FROM d
        UNION ALL SELECT 'table and index bytes a part in ' || part, (table_bytes + index_bytes) / parts FROM d
    ) x (name, value)
$$;
