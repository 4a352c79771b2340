-- Layout A: one wide row a part in daily partitions, rewritten at every transition. Columns are the product's own plus
-- the lease; indexes are those that the same claims need (by tenant, by bot, by key, by lease), all of them partial.
CREATE SCHEMA wide;

CREATE TABLE wide.telegram_outbox (
    LIKE public.telegram_outbox INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
    key_id       bigint NOT NULL DEFAULT 0,
    lease_owner  text,
    leased_until timestamptz,
    claim_id     uuid,
    lapses       integer NOT NULL DEFAULT 0,
    PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE INDEX ON wide.telegram_outbox (tenant_id, priority DESC, id) WHERE state IN ('pending', 'retry_wait');
CREATE INDEX ON wide.telegram_outbox (tenant_id, bot_id, priority DESC, id) WHERE state IN ('pending', 'retry_wait');
CREATE INDEX ON wide.telegram_outbox (key_id, id) WHERE state IN ('pending', 'leased', 'retry_wait');
-- Not on state: a guard that implied the predicate would let the planner walk all leases instead of the primary key.
CREATE INDEX ON wide.telegram_outbox (leased_until) WHERE lease_owner IS NOT NULL;
CREATE INDEX ON wide.telegram_outbox (claim_id) WHERE state = 'leased' AND claim_id IS NOT NULL;
CREATE INDEX ON wide.telegram_outbox (expires_at) WHERE state IN ('pending', 'retry_wait') AND expires_at IS NOT NULL;

CREATE TABLE wide.telegram_outbox_attempts (
    LIKE public.telegram_outbox_attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
    PRIMARY KEY (outbox_id, lease_token, claimed_at)
) PARTITION BY RANGE (claimed_at);

CREATE FUNCTION wide.enqueue(parts int, keys int) RETURNS void LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
    v_batches text[];
    v_names   text[];
    v_keys    bigint[];
    v_now     timestamptz;
    v_since   timestamptz;
    v_until   timestamptz;
    v_stored  text[];
BEGIN
    SELECT array_agg('batch:' || nextval('bench.batch_no')), array_agg('dialog:7:' || floor(random() * keys)::int || ':0')
      INTO v_batches, v_names FROM generate_series(1, parts);
    PERFORM bench.lock_batches(v_batches);
    v_keys := bench.lock_keys(v_names);

    v_now := tailrace_now();
    v_since := date_trunc('day', v_now, 'UTC') - interval '7 days';
    v_until := v_now + interval '1 minute';
    SELECT array_agg(o.batch_id) INTO v_stored FROM wide.telegram_outbox o
     WHERE o.tenant_id = bench.tenant() AND o.batch_id = ANY (v_batches) AND o.created_at >= v_since AND o.created_at < v_until;
    IF v_stored IS NOT NULL THEN RAISE 'stored already: %', v_stored; END IF;

    INSERT INTO wide.telegram_outbox (id, created_at, tenant_id, operation_id, batch_id, part_index, bot_id, chat_id, ordering_key,
        method_kind, payload_version, original_payload, delivery_policy, protected, priority, available_at, updated_at, key_id)
    SELECT nextval('telegram_outbox_id_seq'), v_now, bench.tenant(), bench.operation_id(p.batch, 0), p.batch, 0, '7', '1', p.name,
           'sendMessage', 1, bench.payload(), 'create', false, 0, v_now, v_now, p.key_id
      FROM unnest(v_batches, v_names, v_keys) p (batch, name, key_id);
END $$;

-- since: the oldest day that has a part which has not ended; without it every claim would look into every day.
-- enable_sort is off so that the heads are met in the index's order and the LIMIT ends the walk; left alone the planner
-- read and sorted the whole backlog.
CREATE FUNCTION wide.claim(max int, since timestamptz,
    OUT ids bigint[], OUT created timestamptz[], OUT tokens bigint[], OUT payloads text) LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET enable_sort = off
AS $$
DECLARE
    v_now timestamptz := tailrace_now();
    v_until timestamptz := v_now + interval '1 minute';
    v_ids bigint[];
    v_low timestamptz;
    v_high timestamptz;
BEGIN
    -- The heads are locked first and updated by = ANY: joined to the update, sixty days made the planner give up the primary key.
    SELECT coalesce(array_agg(h.id), '{}'), min(h.created_at), max(h.created_at) INTO v_ids, v_low, v_high FROM (
        SELECT o.id, o.created_at FROM wide.telegram_outbox o
         CROSS JOIN LATERAL (SELECT p.id FROM wide.telegram_outbox p
                              WHERE p.key_id = o.key_id AND p.state IN ('pending', 'leased', 'retry_wait')
                                AND p.created_at >= since AND p.created_at < v_until
                              ORDER BY p.id LIMIT 1) first
         WHERE o.tenant_id = bench.tenant() AND o.state IN ('pending', 'retry_wait') AND o.available_at <= v_now
           AND (o.expires_at IS NULL OR o.expires_at > v_now) AND o.created_at >= since AND o.created_at < v_until
           AND first.id = o.id
         ORDER BY o.priority DESC, o.id LIMIT max FOR NO KEY UPDATE OF o SKIP LOCKED) h;
    WITH leased AS (
        UPDATE wide.telegram_outbox o
           SET state = 'leased', attempt_count = o.attempt_count + 1, lease_token = o.lease_token + 1,
               lease_owner = 'worker-1', claimed_at = v_now, leased_until = v_now + interval '90 s', updated_at = v_now
         WHERE o.id = ANY (v_ids) AND o.created_at >= v_low AND o.created_at <= v_high
        RETURNING o.id, o.created_at, o.lease_token, o.attempt_count, coalesce(o.payload, o.original_payload) AS payload
    ), attempt AS (
        INSERT INTO wide.telegram_outbox_attempts (outbox_id, outbox_created_at, attempt, lease_token, worker_id, claimed_at)
        SELECT l.id, l.created_at, l.attempt_count, l.lease_token, 'worker-1', v_now FROM leased l
    )
    SELECT coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.created_at), '{}'), coalesce(array_agg(l.lease_token), '{}'),
           string_agg(l.payload::text, E'\n')
      INTO ids, created, tokens, payloads FROM leased l;
END $$;

CREATE FUNCTION wide.start(ids bigint[], created timestamptz[], tokens bigint[]) RETURNS bigint LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
    v_now  timestamptz := tailrace_now();
    v_low  timestamptz := (SELECT min(c) FROM unnest(created) c);
    v_high timestamptz := (SELECT max(c) FROM unnest(created) c);
    v_done bigint;
BEGIN
    UPDATE wide.telegram_outbox o SET request_started_at = v_now, updated_at = v_now
      FROM unnest(ids, created, tokens) s (id, created_at, token)
     WHERE o.id = s.id AND o.created_at = s.created_at AND o.created_at >= v_low AND o.created_at <= v_high
       AND o.lease_token = s.token AND o.state = 'leased' AND o.leased_until > v_now;
    GET DIAGNOSTICS v_done = ROW_COUNT;
    RETURN v_done;
END $$;

CREATE FUNCTION wide.settle(ids bigint[], created timestamptz[], tokens bigint[]) RETURNS bigint LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
    v_now  timestamptz := tailrace_now();
    v_low  timestamptz := (SELECT min(c) FROM unnest(created) c);
    v_high timestamptz := (SELECT max(c) FROM unnest(created) c);
    v_id      bigint[];
    v_token   bigint[];
    v_claimed timestamptz[];
    v_started timestamptz[];
    v_claim_low  timestamptz;
    v_claim_high timestamptz;
BEGIN
    WITH ended AS (
        UPDATE wide.telegram_outbox o
           SET state = 'delivered', last_outcome = 'delivered', receipt = '{"ok": true}', telegram_message_ids = ARRAY['4711'],
               lease_owner = NULL, leased_until = NULL, confirmed_at = v_now, updated_at = v_now
          FROM unnest(ids, created, tokens) s (id, created_at, token)
         WHERE o.id = s.id AND o.created_at = s.created_at AND o.created_at >= v_low AND o.created_at <= v_high
           AND o.lease_token = s.token AND o.state = 'leased' AND o.leased_until > v_now AND o.request_started_at IS NOT NULL
        RETURNING o.id, o.lease_token, o.claimed_at, o.request_started_at
    )
    SELECT array_agg(e.id), array_agg(e.lease_token), array_agg(e.claimed_at), array_agg(e.request_started_at),
           min(e.claimed_at), max(e.claimed_at)
      INTO v_id, v_token, v_claimed, v_started, v_claim_low, v_claim_high FROM ended e;

    UPDATE wide.telegram_outbox_attempts a
       SET request_started_at = e.started, response_received_at = v_now, finished_at = v_now, outcome = 'delivered', http_status = 200, latency_ms = 40
      FROM unnest(v_id, v_token, v_claimed, v_started) e (id, token, claimed, started)
     WHERE a.outbox_id = e.id AND a.lease_token = e.token AND a.claimed_at = e.claimed
       AND a.claimed_at >= v_claim_low AND a.claimed_at <= v_claim_high;
    RETURN cardinality(v_id);
END $$;
