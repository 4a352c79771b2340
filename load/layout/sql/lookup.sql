-- Enqueue's look-up of stored parts over the horizon of idempotency (7 days and today), written in several ways.
-- Every variant does the same: which of these batches have parts already? The answer is nothing, the ordinary case.
CREATE SCHEMA lookup;

CREATE FUNCTION lookup.batches(n int) RETURNS text[] LANGUAGE sql VOLATILE AS $$
    SELECT array_agg('new:' || (random() * 1e9)::bigint || ':' || i) FROM generate_series(1, n) i
$$;

-- What a call costs without any look-up.
CREATE FUNCTION lookup.nothing(tenant uuid, batches text[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    since timestamptz := date_trunc('day', tailrace_now(), 'UTC') - interval '7 days';
    until timestamptz := tailrace_now() + interval '1 minute';
BEGIN
    RETURN 0;
END $$;

-- Writes one variant. name; SET clause; the condition on batches; whether the bounds are literals in an EXECUTE.
CREATE FUNCTION lookup.define(name text, mode text, source text, bounds text) RETURNS void LANGUAGE plpgsql AS $define$
DECLARE
    query text := $q$
        SELECT o.id, o.created_at, o.batch_id, o.part_index, o.state, o.method_kind, o.original_payload
          FROM $q$ || source || $q$ o.tenant_id = tenant AND o.created_at >= since AND o.created_at < until$q$;
BEGIN
    IF bounds = 'execute' THEN
        query := format('EXECUTE format(%L, since, until) USING tenant, batches',
            replace(replace(replace(replace(query, 'since', '%1$L'), 'until', '%2$L'), '= tenant', '= $1'), 'batches', '$2'));
    ELSIF bounds = 'daily' THEN
        query := replace(replace(query, 'since', quote_literal(date_trunc('day', now(), 'UTC') - interval '7 days')),
            'until', quote_literal(date_trunc('day', now(), 'UTC') + interval '1 day'));
    END IF;
    EXECUTE format($f$
        CREATE FUNCTION lookup.%I(tenant uuid, batches text[]) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = %s AS $$
        DECLARE
            since timestamptz := date_trunc('day', tailrace_now(), 'UTC') - interval '7 days';
            until timestamptz := tailrace_now() + interval '1 minute';
            found bigint := 0;
            r record;
        BEGIN
            FOR r IN %s LOOP
                found := found + 1;
            END LOOP;
            RETURN found;
        END $$ $f$, name, mode, query);
END $define$;

SELECT lookup.define(name, mode, source, bounds)
  FROM (VALUES ('array',  'telegram_outbox o WHERE o.batch_id = ANY (batches) AND'),
               -- The planner cannot see into the sub-select, so it does not estimate every element on every partition.
               ('hidden', 'telegram_outbox o WHERE o.batch_id = ANY ((SELECT batches)::text[]) AND'),
               -- LIMIT keeps the planner from turning the probe of each batch into a join of its own choice.
               ('lateral', 'unnest(batches) b CROSS JOIN LATERAL (SELECT * FROM telegram_outbox i WHERE i.batch_id = b
                            AND i.tenant_id = tenant AND i.created_at >= since AND i.created_at < until LIMIT 1) o WHERE')) s (shape, source),
       (VALUES ('generic', 'force_generic_plan', 'parameter'), ('auto', 'auto', 'parameter'),
               ('custom', 'force_custom_plan', 'parameter'), ('execute', 'auto', 'execute'),
               ('daily', 'force_generic_plan', 'daily')) v (variant, mode, bounds),
       LATERAL (SELECT variant || '_' || shape) n (name);
