-- Layout B, as the product has it (V002__outbox.sql): telegram_outbox is written at enqueue and once more when the part ends,
-- telegram_outbox_inflight holds all leasing. "leased_until > now" alone means a live lease: a guard on turn or state would imply the
-- predicate of a partial index and let the planner walk all leases instead of the primary key.
-- Every function does for the layout what the service does in one transaction.
CREATE SCHEMA narrow;

CREATE FUNCTION narrow.enqueue(parts int, keys int) RETURNS void LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
    v_batches text[];
    v_names   text[];
    v_keys    bigint[];
    v_tails   bigint[];
    v_busy    bigint[];
    v_pinned  bigint;
    v_now     timestamptz;
    v_since   timestamptz;
    v_until   timestamptz;
    v_stored  text[];
BEGIN
    SELECT array_agg('batch:' || nextval('bench.batch_no')), array_agg('dialog:7:' || floor(random() * keys)::int || ':0')
      INTO v_batches, v_names FROM generate_series(1, parts);
    PERFORM bench.lock_batches(v_batches);
    v_keys := bench.lock_keys(v_names);
    LOOP
        -- Whoever ends the last part of a key either waits for us and sees our parts, or has ended it before we look.
        SELECT coalesce(array_agg(t.id), '{}'), coalesce(array_agg(d.key_id), '{}') INTO v_tails, v_busy
          FROM (SELECT DISTINCT k FROM unnest(v_keys) k) d (key_id)
         CROSS JOIN LATERAL (SELECT h.id FROM telegram_outbox_inflight h
                              WHERE h.key_id = d.key_id AND h.turn <> 's' ORDER BY h.id DESC LIMIT 1) t;
        SELECT count(*) INTO v_pinned
          FROM (SELECT FROM telegram_outbox_inflight h WHERE h.id = ANY (v_tails) FOR KEY SHARE) s;
        EXIT WHEN v_pinned = cardinality(v_tails);
    END LOOP;

    v_now := tailrace_now();
    v_since := date_trunc('day', v_now, 'UTC') - interval '7 days';
    v_until := v_now + interval '1 minute';
    SELECT array_agg(o.batch_id) INTO v_stored FROM telegram_outbox o
     WHERE o.tenant_id = bench.tenant() AND o.batch_id = ANY (v_batches) AND o.created_at >= v_since AND o.created_at < v_until;
    IF v_stored IS NOT NULL THEN RAISE 'stored already: %', v_stored; END IF;

    WITH part AS MATERIALIZED (
        SELECT nextval('telegram_outbox_id_seq') AS id, p.batch, p.name, p.key_id
          FROM unnest(v_batches, v_names, v_keys) p (batch, name, key_id)
    ), history AS (
        INSERT INTO telegram_outbox (id, created_at, tenant_id, operation_id, batch_id, part_index, bot_id, chat_id, ordering_key,
            method_kind, payload_version, original_payload, delivery_policy, protected, priority, available_at, updated_at)
        SELECT p.id, v_now, bench.tenant(), bench.operation_id(p.batch, 0), p.batch, 0, '7', '1', p.name,
               'sendMessage', 1, bench.payload(), 'create', false, 0, v_now, v_now FROM part p
    )
    INSERT INTO telegram_outbox_inflight (id, created_at, tenant_id, key_id, bot_id, batch_no, part_index, priority,
        delivery_policy, turn, available_at, retry_jitter_ms, updated_at)
    SELECT p.id, v_now, bench.tenant(), p.key_id, '7', NULL, 0, 0, 'create',
           CASE WHEN p.key_id <> ALL (v_busy) AND p.id = min(p.id) OVER (PARTITION BY p.key_id) THEN 'c' ELSE 'q' END::"char",
           v_now, 0, v_now FROM part p;
END $$;

CREATE FUNCTION narrow.claim(max int, since timestamptz,
    OUT ids bigint[], OUT created timestamptz[], OUT tokens bigint[], OUT payloads text) LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
    v_now timestamptz := tailrace_now();
    v_low timestamptz;
    v_high timestamptz;
BEGIN
    WITH head AS (
        SELECT h.id FROM telegram_outbox_inflight h
         WHERE h.tenant_id = bench.tenant() AND h.turn = 'c' AND h.available_at <= v_now
           AND (h.expires_at IS NULL OR h.expires_at > v_now)
         ORDER BY h.priority DESC, h.id LIMIT max FOR NO KEY UPDATE SKIP LOCKED
    ), leased AS (
        UPDATE telegram_outbox_inflight h
           SET state = 'leased', turn = 'l', attempt_count = h.attempt_count + 1, lease_token = h.lease_token + 1,
               lease_owner = 'worker-1', claimed_at = v_now, leased_until = v_now + interval '90 s', updated_at = v_now
          FROM head WHERE h.id = head.id
        RETURNING h.id, h.created_at, h.lease_token, h.attempt_count
    ), attempt AS (
        INSERT INTO telegram_outbox_attempts (outbox_id, outbox_created_at, attempt, lease_token, worker_id, claimed_at)
        SELECT l.id, l.created_at, l.attempt_count, l.lease_token, 'worker-1', v_now FROM leased l
    )
    SELECT coalesce(array_agg(l.id), '{}'), coalesce(array_agg(l.created_at), '{}'), coalesce(array_agg(l.lease_token), '{}'),
           min(l.created_at), max(l.created_at)
      INTO ids, created, tokens, v_low, v_high FROM leased l;
    -- What the layout costs a claim: the payloads lie in the daily partitions.
    SELECT string_agg(coalesce(o.payload, o.original_payload)::text, E'\n') INTO payloads
      FROM unnest(ids, created) k (id, created_at)
      JOIN telegram_outbox o ON o.id = k.id AND o.created_at = k.created_at
     WHERE o.created_at >= v_low AND o.created_at <= v_high;
END $$;

CREATE FUNCTION narrow.start(ids bigint[], created timestamptz[], tokens bigint[]) RETURNS bigint LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
    v_now timestamptz := tailrace_now();
    v_done bigint;
BEGIN
    UPDATE telegram_outbox_inflight h SET started_at = v_now, updated_at = v_now
      FROM unnest(ids, tokens) s (id, token)
     WHERE h.id = s.id AND h.lease_token = s.token AND h.leased_until > v_now;
    GET DIAGNOSTICS v_done = ROW_COUNT;
    RETURN v_done;
END $$;

CREATE FUNCTION narrow.settle(ids bigint[], created timestamptz[], tokens bigint[]) RETURNS bigint LANGUAGE plpgsql
    SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off
AS $$
DECLARE
    v_now     timestamptz := tailrace_now();
    v_id      bigint[];
    v_created timestamptz[];
    v_token   bigint[];
    v_attempt int[];
    v_claimed timestamptz[];
    v_started timestamptz[];
    v_key     bigint[];
    v_low     timestamptz;
    v_high    timestamptz;
    v_claim_low  timestamptz;
    v_claim_high timestamptz;
BEGIN
    WITH ended AS (
        DELETE FROM telegram_outbox_inflight h USING unnest(ids, tokens) s (id, token)
         WHERE h.id = s.id AND h.lease_token = s.token AND h.leased_until > v_now AND h.started_at IS NOT NULL
        RETURNING h.*
    )
    SELECT array_agg(e.id), array_agg(e.created_at), array_agg(e.lease_token), array_agg(e.attempt_count), array_agg(e.claimed_at),
           array_agg(e.started_at), array_agg(e.key_id), min(e.created_at), max(e.created_at), min(e.claimed_at), max(e.claimed_at)
      INTO v_id, v_created, v_token, v_attempt, v_claimed, v_started, v_key, v_low, v_high, v_claim_low, v_claim_high
      FROM ended e;

    UPDATE telegram_outbox o
       SET state = 'delivered', attempt_count = e.attempt, lease_token = e.token, last_outcome = 'delivered', receipt = '{"ok": true}',
           telegram_message_ids = ARRAY['4711'], claimed_at = e.claimed, request_started_at = e.started, confirmed_at = v_now, updated_at = v_now
      FROM unnest(v_id, v_created, v_token, v_attempt, v_claimed, v_started) e (id, created_at, token, attempt, claimed, started)
     WHERE o.id = e.id AND o.created_at = e.created_at AND o.created_at >= v_low AND o.created_at <= v_high;

    UPDATE telegram_outbox_attempts a
       SET request_started_at = e.started, response_received_at = v_now, finished_at = v_now, outcome = 'delivered', http_status = 200, latency_ms = 40
      FROM unnest(v_id, v_token, v_claimed, v_started) e (id, token, claimed, started)
     WHERE a.outbox_id = e.id AND a.lease_token = e.token AND a.claimed_at = e.claimed
       AND a.claimed_at >= v_claim_low AND a.claimed_at <= v_claim_high;

    -- The key's next part becomes the one that a claim looks at. A statement of its own: it must see what was enqueued
    -- while the delete waited.
    UPDATE telegram_outbox_inflight h SET turn = 'c'
      FROM (SELECT DISTINCT k FROM unnest(v_key) k) d (key_id)
     CROSS JOIN LATERAL (SELECT n.id FROM telegram_outbox_inflight n
                          WHERE n.key_id = d.key_id AND n.turn <> 's' ORDER BY n.id LIMIT 1) t
     WHERE h.id = t.id AND h.turn = 'q';
    RETURN cardinality(v_id);
END $$;
