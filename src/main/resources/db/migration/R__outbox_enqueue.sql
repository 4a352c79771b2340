-- Enqueue: one implementation for the service (group commit), a Java call on the caller's connection, and a
-- SQL caller (docs/adr/0004-enqueue.md). The order of things is the whole point:
--   1. lock the batches          a statement of its own: a look-up in the same statement would read a snapshot
--   2. lock the keys             taken before the lock was granted
--   3. pin each key's last part  so that whoever ends it sees what is enqueued behind it
--   4. look up what is stored
--   5. draw ids and insert       under the key's lock, so ids on a key become visible in order

CREATE OR REPLACE FUNCTION tailrace.operation_id(p_tenant uuid, p_batch_id text, p_method_kind text, p_part_index integer)
    RETURNS text LANGUAGE sql STABLE PARALLEL SAFE -- as convert_to is; declared IMMUTABLE it would not be inlined
AS $$
    SELECT 'tgop:v1:' || encode(sha256(
        convert_to('openplotva:telegram-outbox:v1', 'UTF8') || '\x00'::bytea
        || CASE WHEN p_tenant = '00000000-0000-0000-0000-000000000001' THEN ''::bytea
                ELSE convert_to(p_tenant::text, 'UTF8') || '\x00'::bytea END
        || convert_to(p_batch_id, 'UTF8') || '\x00'::bytea
        || convert_to(p_method_kind, 'UTF8') || '\x00'::bytea
        || int4send(p_part_index)), 'hex')
$$;

-- Locks batches for this transaction and answers the entries (positions) that it did not get, which are none when
-- it may wait. A transaction holds 256 advisory locks at most, whatever it carries: up to 128 batches are locked one
-- by one, with a shared lock on their stripe (one of 64); from then on whole stripes are locked, exclusively.
CREATE OR REPLACE FUNCTION tailrace.lock_batches(p_patient boolean, p_tenant uuid[], p_batch text[])
    RETURNS integer[] LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    c_exact CONSTANT integer := 128;
    c_space CONSTANT integer := 1953854573;
    v_held  integer := coalesce(nullif(current_setting('tailrace.batch_locks', true), ''), '0')::integer;
    v_hash  bigint[];
    v_missed integer[];
BEGIN
    SELECT array_agg(hashtextextended('tailrace.outbox.batch:' || e.tenant || ':' || e.batch, 0) ORDER BY e.n)
      INTO v_hash
      FROM unnest(p_tenant, p_batch) WITH ORDINALITY AS e(tenant, batch, n);
    PERFORM set_config('tailrace.batch_locks', (v_held + cardinality(v_hash))::text, true);

    IF v_held + cardinality(v_hash) > c_exact THEN
        PERFORM pg_advisory_xact_lock(c_space, s.stripe)
           FROM (SELECT DISTINCT (h & 63)::integer AS stripe FROM unnest(v_hash) h ORDER BY 1) s;
        RETURN '{}';
    END IF;
    IF p_patient THEN
        PERFORM pg_advisory_xact_lock_shared(c_space, s.stripe)
           FROM (SELECT DISTINCT (h & 63)::integer AS stripe FROM unnest(v_hash) h ORDER BY 1) s;
        PERFORM pg_advisory_xact_lock(s.h) FROM (SELECT DISTINCT h FROM unnest(v_hash) h ORDER BY 1) s;
        RETURN '{}';
    END IF;
    SELECT array_agg(e.n::integer) INTO v_missed
      FROM unnest(v_hash) WITH ORDINALITY AS e(h, n)
     WHERE NOT (pg_try_advisory_xact_lock_shared(c_space, (e.h & 63)::integer) AND pg_try_advisory_xact_lock(e.h));
    RETURN coalesce(v_missed, '{}');
END
$$;

-- Makes keys without waiting for anybody who is just making the same: one of those is left out.
CREATE OR REPLACE FUNCTION tailrace.make_keys_at_once(p_tenant uuid[], p_bot text[], p_key text[])
    RETURNS void LANGUAGE plpgsql VOLATILE SET lock_timeout = '1ms'
AS $$
DECLARE
    v_new record;
BEGIN
    FOR v_new IN SELECT DISTINCT p.tenant, p.bot, p.key FROM unnest(p_tenant, p_bot, p_key) AS p(tenant, bot, key)
                  WHERE NOT EXISTS (SELECT FROM public.telegram_outbox_keys k
                                     WHERE k.tenant_id = p.tenant AND k.bot_id = p.bot AND k.ordering_key = p.key)
                  ORDER BY 1, 2, 3 LOOP
        BEGIN
            INSERT INTO public.telegram_outbox_keys (tenant_id, bot_id, ordering_key)
            VALUES (v_new.tenant, v_new.bot, v_new.key) ON CONFLICT DO NOTHING;
        EXCEPTION WHEN lock_not_available THEN
            NULL;
        END;
    END LOOP;
END
$$;

-- Finds or makes the key of each part and locks the keys in order. Answers the keys, part by part; a key that it may
-- not wait for is null.
CREATE OR REPLACE FUNCTION tailrace.lock_keys(p_patient boolean, p_tenant uuid[], p_bot text[], p_key text[])
    RETURNS bigint[] LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    v_key    bigint[];
    v_locked bigint[];
    v_wanted integer;
    v_made   boolean := false;
BEGIN
    LOOP
        SELECT array_agg(k.key_id ORDER BY p.n), count(DISTINCT k.key_id)
          INTO v_key, v_wanted
          FROM unnest(p_tenant, p_bot, p_key) WITH ORDINALITY AS p(tenant, bot, key, n)
          LEFT JOIN public.telegram_outbox_keys k
            ON k.tenant_id = p.tenant AND k.bot_id = p.bot AND k.ordering_key = p.key;
        IF array_position(v_key, NULL) IS NOT NULL AND NOT p_patient AND NOT v_made THEN
            PERFORM tailrace.make_keys_at_once(p_tenant, p_bot, p_key);
            v_made := true;
            CONTINUE;
        ELSIF array_position(v_key, NULL) IS NOT NULL AND p_patient THEN
            INSERT INTO public.telegram_outbox_keys (tenant_id, bot_id, ordering_key)
            SELECT DISTINCT p.tenant, p.bot, p.key
              FROM unnest(p_tenant, p_bot, p_key, v_key) AS p(tenant, bot, key, key_id)
             WHERE p.key_id IS NULL
             ORDER BY 1, 2, 3
            ON CONFLICT DO NOTHING;
            CONTINUE;
        END IF;
        IF p_patient THEN
            SELECT array_agg(s.key_id) INTO v_locked
              FROM (SELECT k.key_id FROM public.telegram_outbox_keys k
                     WHERE k.key_id = ANY (v_key) ORDER BY k.key_id FOR NO KEY UPDATE) s;
            -- Fewer: a key was swept away between the two statements.
            EXIT WHEN cardinality(v_locked) = v_wanted;
        ELSE
            SELECT array_agg(s.key_id) INTO v_locked
              FROM (SELECT k.key_id FROM public.telegram_outbox_keys k
                     WHERE k.key_id = ANY (v_key) ORDER BY k.key_id FOR NO KEY UPDATE SKIP LOCKED) s;
            SELECT array_agg(CASE WHEN k = ANY (v_locked) THEN k END ORDER BY n)
              INTO v_key FROM unnest(v_key) WITH ORDINALITY AS u(k, n);
            EXIT;
        END IF;
    END LOOP;
    RETURN v_key;
END
$$;

-- Pins the last part of each key that others queue behind. Whoever ends a part first locks it FOR UPDATE, which
-- conflicts with FOR KEY SHARE: either it has ended before we look (and the key is free), or it ends after our commit,
-- sees our parts, and hands the key to the next. A claim takes FOR NO KEY UPDATE and is not in our way.
-- Answers the keys that have somebody to queue behind and, when it may not wait, those whose last part is just ending.
CREATE OR REPLACE FUNCTION tailrace.pin_tails(p_patient boolean, p_key bigint[], OUT busy bigint[], OUT missed bigint[])
    LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    v_tail   bigint[];
    v_pinned bigint[];
BEGIN
    missed := '{}';
    LOOP
        SELECT array_agg(t.id), array_agg(d.key_id) INTO v_tail, busy
          FROM (SELECT DISTINCT u.key_id FROM unnest(p_key) AS u(key_id)) d
         CROSS JOIN LATERAL (SELECT h.id FROM public.telegram_outbox_inflight h
                              WHERE h.key_id = d.key_id AND h.turn <> 's'
                              ORDER BY h.id DESC LIMIT 1) t;
        EXIT WHEN v_tail IS NULL;
        IF NOT p_patient THEN
            SELECT array_agg(s.id) INTO v_pinned
              FROM (SELECT h.id FROM public.telegram_outbox_inflight h
                     WHERE h.id = ANY (v_tail) ORDER BY h.id FOR KEY SHARE SKIP LOCKED) s;
            missed := ARRAY(SELECT u.key_id FROM unnest(v_tail, busy) AS u(id, key_id)
                             WHERE u.id <> ALL (coalesce(v_pinned, '{}')));
            EXIT;
        END IF;
        SELECT array_agg(s.id) INTO v_pinned
          FROM (SELECT h.id FROM public.telegram_outbox_inflight h
                 WHERE h.id = ANY (v_tail) ORDER BY h.id FOR KEY SHARE) s;
        EXIT WHEN cardinality(v_pinned) = cardinality(v_tail);
    END LOOP;
    busy := coalesce(busy, '{}');
END
$$;

-- Stores the parts of many batches in this transaction. p_patience_ms: how long it may wait for a lock; null: as long as
-- the session's lock_timeout says; 0: not at all, an entry that would have to wait is set aside. e_*: one element an entry (a batch); p_*: one element a part,
-- p_entry being the position of its entry. Answers one row a part, or one row with a code for an entry that is
-- refused (nothing of it is written) or set aside.
CREATE OR REPLACE FUNCTION tailrace.enqueue_parts(
    p_patience_ms integer, p_horizon_days integer,
    e_tenant uuid[], e_batch text[], e_traceparent text[],
    p_entry integer[], p_index integer[], p_bot text[], p_chat text[], p_thread text[], p_key text[],
    p_causation text[], p_dialog text[], p_trigger text[], p_method text[], p_version integer[], p_payload text[],
    p_blob text[], p_blob_type text[], p_blob_name text[], p_policy text[], p_protected boolean[], p_priority integer[],
    p_available timestamptz[], p_expires timestamptz[])
    RETURNS TABLE (entry integer, part_index integer, id bigint, created_at timestamptz, operation_id text,
                   state text, inserted boolean, stored_parts integer, code text, pointer text, detail text,
                   claimable boolean)
    LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off
AS $$
DECLARE
    v_patient  boolean := p_patience_ms IS DISTINCT FROM 0;
    v_out      integer[];                -- entries that are set aside or refused
    v_key      bigint[];
    v_busy     bigint[];                 -- keys with somebody to queue behind
    v_missed   bigint[];                 -- keys whose last part is just ending
    v_now      timestamptz;
    v_known    integer[];                -- entries with stored parts
    v_replay   tailrace.replayed_part[]; -- what those parts are, when there are any
    v_low      timestamptz;
    v_high     timestamptz;
    v_ledger   integer;
    v_new      integer[];                -- entries that nothing is stored of, as far back as the horizon
    v_gone     integer[];                -- those of them that the ledger knows
    v_gone_at  timestamptz[];
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'enqueue needs READ COMMITTED: under % it would not see what it waited for',
            current_setting('transaction_isolation') USING ERRCODE = '25000';
    END IF;

    IF p_patience_ms IS NOT NULL THEN
        PERFORM set_config('lock_timeout', greatest(p_patience_ms, 100)::text, true);
    END IF;
    v_out := tailrace.lock_batches(v_patient, e_tenant, e_batch);
    v_key := tailrace.lock_keys(v_patient,
        (SELECT array_agg(e_tenant[u.entry] ORDER BY u.n) FROM unnest(p_entry) WITH ORDINALITY AS u(entry, n)),
        p_bot, p_key);
    SELECT t.busy, t.missed INTO v_busy, v_missed FROM tailrace.pin_tails(v_patient, v_key) t;
    IF NOT v_patient THEN
        v_out := v_out || ARRAY(SELECT DISTINCT u.entry FROM unnest(p_entry, v_key) AS u(entry, key_id)
                                 WHERE u.key_id IS NULL OR u.key_id = ANY (v_missed));
    END IF;

    v_now  := public.tailrace_now();
    v_low  := date_trunc('day', v_now, 'UTC') - make_interval(days => p_horizon_days);
    v_high := date_trunc('day', v_now, 'UTC') + interval '2 days';
    v_known := tailrace.known_batches(v_low, v_high, e_tenant, e_batch);
    IF cardinality(v_known) > 0 THEN
        v_out := v_out || tailrace.pin_batches(v_patient, v_low, v_high, v_known, e_tenant, e_batch);
    END IF;
    RETURN QUERY SELECT DISTINCT u.e, 0, 0::bigint, NULL::timestamptz, '', '', false, 0, 'set_aside', '', '', false
                   FROM unnest(v_out) AS u(e);
    IF cardinality(v_known) > 0 THEN
        v_replay := tailrace.replayed_parts(v_low, v_high, v_known, e_tenant, e_batch);
        RETURN QUERY
            SELECT r.entry, r.part_index, 0::bigint, NULL::timestamptz, '', '', false, 0, r.code, r.pointer, r.detail, false
              FROM tailrace.refused_replays(v_known, v_replay, p_entry, p_index, p_bot, p_chat, p_thread, p_key,
                       p_causation, p_dialog, p_trigger, p_method, p_version, p_payload, p_blob, p_policy,
                       p_protected, p_priority, p_expires) r
             WHERE r.entry <> ALL (v_out);
        v_out := v_out || ARRAY(SELECT r.entry FROM tailrace.refused_replays(v_known, v_replay, p_entry, p_index, p_bot,
                       p_chat, p_thread, p_key, p_causation, p_dialog, p_trigger, p_method, p_version, p_payload,
                       p_blob, p_policy, p_protected, p_priority, p_expires) r);
        RETURN QUERY
            SELECT r.entry, r.part_index, r.id, r.created_at, r.operation_id, r.state, false,
                   greatest(r.last_stored, g.last_given) + 1, NULL, NULL, NULL, false
              FROM (SELECT u.*, max(u.part_index) OVER (PARTITION BY u.entry) AS last_stored FROM unnest(v_replay) u) r
              JOIN (SELECT u.e, max(u.i) AS last_given FROM unnest(p_entry, p_index) AS u(e, i) GROUP BY u.e) g ON g.e = r.entry
             WHERE r.entry <> ALL (v_out)
               AND r.part_index <= g.last_given;
    END IF;
    IF EXISTS (SELECT FROM unnest(p_blob) AS u(sha256) WHERE u.sha256 IS NOT NULL) THEN
        RETURN QUERY
            SELECT DISTINCT ON (b.entry) b.entry, b.part_index, 0::bigint, NULL::timestamptz, '', '', false, 0, 'invalid_field',
                   '/parts/' || b.part_index || '/blob/sha256',
                   'no blob with this digest is stored; send its bytes first (PUT /v1/outbox/blobs/{sha256})', false
              FROM tailrace.missing_blobs(e_tenant, p_entry, p_index, p_blob) b
             WHERE b.entry <> ALL (v_out);
        v_out := v_out || ARRAY(SELECT b.entry FROM tailrace.missing_blobs(e_tenant, p_entry, p_index, p_blob) b);
    END IF;

    SELECT l.ledger_days INTO v_ledger FROM tailrace.outbox_settings l;
    IF v_ledger > 0 THEN
        v_new := ARRAY(SELECT n FROM generate_subscripts(e_batch, 1) n WHERE n <> ALL (v_out || v_known));
        SELECT array_agg(l.entry), array_agg(l.stored_at) INTO v_gone, v_gone_at
          FROM tailrace.ledger_batches(v_now - make_interval(days => v_ledger), v_high, v_new, e_tenant, e_batch) l;
        RETURN QUERY
            SELECT g.entry, 0, 0::bigint, NULL::timestamptz, '', '', false, 0, 'idempotency_conflict', '/batch_id',
                   'this batch was stored on ' || to_char(g.at AT TIME ZONE 'UTC', 'YYYY-MM-DD') || ' and its day has left;'
                   || ' it is not sent again. Another batch_id makes another batch', false
              FROM unnest(v_gone, v_gone_at) AS g(entry, at);
        v_out := v_out || v_gone;
        PERFORM tailrace.enter_in_ledger(
            v_now, ARRAY(SELECT u.e FROM unnest(v_new) AS u(e) WHERE u.e <> ALL (v_out)), e_tenant, e_batch);
    END IF;

    RETURN QUERY
    WITH stored AS (
        -- Of each known batch: its highest stored part, whether any of it is in flight, and the part whose bad end
        -- cancels whatever is added behind it.
        SELECT r.entry, max(r.part_index) AS last_index, min(r.id) FILTER (WHERE r.part_index = 0) AS first_id,
               bool_or(r.state IN ('pending', 'leased', 'retry_wait')) AS in_flight,
               (array_agg(coalesce(r.cancelled_by, r.id) ORDER BY r.part_index)
                   FILTER (WHERE r.state IN ('ambiguous', 'dead_letter', 'expired', 'cancelled')))[1] AS ended_by,
               (array_agg(r.state ORDER BY r.part_index)
                   FILTER (WHERE r.state IN ('ambiguous', 'dead_letter', 'expired', 'cancelled')))[1] AS ended_as
          FROM unnest(v_replay) r GROUP BY r.entry
    ), part AS (
        SELECT p.*, e_tenant[p.entry] AS tenant_id, e_batch[p.entry] AS batch_id, s.first_id, s.in_flight, s.ended_by, s.ended_as
          FROM unnest(p_entry, p_index, p_bot, p_chat, p_thread, p_key, p_causation, p_dialog, p_trigger, p_method,
                      p_version, p_payload, p_blob, p_blob_type, p_blob_name, p_policy, p_protected, p_priority,
                      p_available, p_expires, v_key)
            AS p(entry, part_index, bot_id, chat_id, thread_id, ordering_key, causation, dialog, trigger_id, method,
                 version, payload, blob, blob_type, blob_name, policy, protected, priority, available, expires, key_id)
          LEFT JOIN stored s ON s.entry = p.entry
         WHERE p.entry <> ALL (v_out) AND p.part_index > coalesce(s.last_index, -1)
         ORDER BY p.entry, p.part_index
    ), numbered AS MATERIALIZED (
        SELECT nextval('public.telegram_outbox_id_seq') AS new_id, part.*,
               tailrace.operation_id(part.tenant_id, part.batch_id, part.method, part.part_index) AS op
          FROM part
    ), placed AS (
        SELECT n.*, coalesce(n.first_id, min(n.new_id) OVER (PARTITION BY n.entry)) AS batch_no,
               CASE WHEN n.available > v_now THEN 's'
                    WHEN n.key_id <> ALL (v_busy) AND n.in_flight IS NOT TRUE
                     AND n.new_id = min(n.new_id) OVER (PARTITION BY n.entry)
                     AND n.new_id = min(n.new_id) FILTER (WHERE n.ended_by IS NULL
                                                             AND (n.available IS NULL OR n.available <= v_now))
                                    OVER (PARTITION BY n.key_id)
                    THEN 'c' ELSE 'q' END::"char" AS turn
          FROM numbered n
    ), history AS (
        INSERT INTO public.telegram_outbox (id, created_at, tenant_id, operation_id, batch_id, part_index, bot_id, chat_id,
            thread_id, ordering_key, causation_update_id, dialog_job_id, trigger_message_id, method_kind,
            payload_version, original_payload, blob_sha256, blob_media_type, blob_file_name, delivery_policy, protected,
            priority, expires_at, traceparent, available_at, state, last_error_class, cancelled_by, updated_at)
        SELECT p.new_id, v_now, p.tenant_id, p.op, p.batch_id, p.part_index, p.bot_id, p.chat_id, p.thread_id,
               p.ordering_key, p.causation, p.dialog, p.trigger_id, p.method, p.version, p.payload::jsonb, p.blob,
               p.blob_type, p.blob_name, p.policy, p.protected, p.priority, p.expires, e_traceparent[p.entry],
               coalesce(p.available, v_now), CASE WHEN p.ended_by IS NULL THEN 'pending' ELSE 'cancelled' END,
               'batch_predecessor_' || p.ended_as, p.ended_by, v_now
          FROM placed p
    ), flight AS (
        INSERT INTO public.telegram_outbox_inflight (id, created_at, tenant_id, key_id, bot_id, batch_no, part_index,
            priority, delivery_policy, turn, available_at, expires_at, retry_jitter_ms, updated_at)
        SELECT p.new_id, v_now, p.tenant_id, p.key_id, p.bot_id, nullif(p.batch_no, p.new_id), p.part_index,
               p.priority, p.policy, p.turn, coalesce(p.available, v_now), p.expires,
               ('x' || substr(p.op, 9, 8))::bit(32)::bigint % 250, v_now
          FROM placed p
         WHERE p.ended_by IS NULL
    )
    SELECT p.entry, p.part_index, p.new_id, v_now, p.op,
           CASE WHEN p.ended_by IS NULL THEN 'pending' ELSE 'cancelled' END, true,
           max(p.part_index) OVER (PARTITION BY p.entry) + 1, NULL::text, NULL::text, NULL::text,
           p.turn = 'c' AND p.ended_by IS NULL
      FROM placed p;
END
$$;
