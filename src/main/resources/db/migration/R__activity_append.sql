-- Append: the one code path that allocates a seq (docs/adr/0009-activity-log.md). The order of things is the whole point:
--   1. hold the tenants           shared, so that a delete's commit is after every append that it did not see
--   2. lock the conversations     in id order, a statement of its own
--   3. read the clock             after the lock: inserted_at goes up with seq, whatever the clock does
--   4. look the keys up           in a later statement than the lock, which sees what the lock waited for
--   5. insert, and count on

-- UUIDv7 (RFC 9562) of an instant: 48 bits of milliseconds, then the microseconds within, then chance. Ids made from ascending
-- instants ascend.
CREATE OR REPLACE FUNCTION tailrace.uuid_v7(p_at timestamptz) RETURNS uuid
    LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$
    SELECT encode(
        overlay(overlay(uuid_send(gen_random_uuid())
            PLACING substring(int8send((extract(epoch FROM p_at) * 1000000)::bigint / 1000) FROM 3) FROM 1 FOR 6)
            PLACING substring(int4send(28672 + (((extract(epoch FROM p_at) * 1000000)::bigint % 1000) * 4)::integer) FROM 3) FROM 7 FOR 2),
        'hex')::uuid
$$;

-- The millisecond that a UUIDv7 carries; null when it is another kind of UUID.
CREATE OR REPLACE FUNCTION tailrace.uuid_v7_time(p_id uuid) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT CASE WHEN substr(p_id::text, 15, 1) = '7'
                THEN to_timestamp(('x' || substr(replace(p_id::text, '-', ''), 1, 12))::bit(48)::bigint / 1000.0) END
$$;

-- A tenant that is being deleted takes nothing more "from that commit": appends hold its stripe shared, a delete holds it
-- exclusively. One of 64 stripes, so a transaction holds few locks whatever it carries.
CREATE OR REPLACE FUNCTION tailrace.tenant_stripe(p_tenant uuid) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT hashtext(p_tenant::text) & 63 $$;

CREATE OR REPLACE FUNCTION tailrace.hold_tenants(p_tenant uuid[]) RETURNS void
    LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    c_space CONSTANT integer := 1953855085;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(c_space, s.stripe)
       FROM (SELECT DISTINCT tailrace.tenant_stripe(t) AS stripe FROM unnest(p_tenant) t ORDER BY 1) s;
END
$$;

CREATE OR REPLACE FUNCTION tailrace.close_tenant(p_tenant uuid) RETURNS void
    LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    c_space CONSTANT integer := 1953855085;
BEGIN
    PERFORM pg_advisory_xact_lock(c_space, tailrace.tenant_stripe(p_tenant));
END
$$;

-- Appends many activities in this transaction. p_patience_ms: how long it may wait for a lock; null: as long as the session's
-- lock_timeout says; 0: not at all, an entry that would have to wait is set aside. p_conversation: the conversations, each once, in
-- ascending order; then one element an entry, in the order in which they are to be stored, p_place being the position of its
-- conversation. Answers one row an entry:
--   stored, replayed             id, seq and time are the stored activity's
--   idempotency_conflict         pointer says which field differs
--   not_found                    no such conversation of this tenant, or one that is being deleted
--   set_aside                    not touched
-- No two entries may have the same conversation and key: the second has to see the first's row.
-- No joins of lists: sessions join by nested loops, and so do the look-ups here, which a hash would turn into reading a table.
CREATE OR REPLACE FUNCTION tailrace.append_activities(
    p_patience_ms integer, p_conversation uuid[], p_place integer[], p_tenant uuid[], p_type text[], p_sender text[], p_text text[],
    p_attachments text[], p_metadata text[], p_key text[], p_traceparent text[])
    RETURNS TABLE (entry integer, code text, pointer text, id uuid, seq bigint, inserted_at timestamptz)
    LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
    v_id      uuid[];        -- the conversations that are locked, in id order; the arrays below go with it
    v_tenant  uuid[];
    v_seq     bigint[];
    v_last    timestamptz[]; -- no activity of it is younger
    v_since   timestamptz[]; -- or older
    v_missed  uuid[];        -- those that somebody else has locked
    v_closed  uuid[];        -- tenants that are being deleted, or are not there
    v_place   integer[] := p_place; -- an entry's conversation in v_id; null when it may not be written to
    v_known   integer[] := '{}';    -- entries whose key is stored, and what is stored under it
    v_field   text[];
    v_old_id  uuid[];
    v_old_seq bigint[];
    v_old_at  timestamptz[];
    v_now     timestamptz;
    v_floor   timestamptz;   -- of all of them: the look-up of keys does not even open the months outside
    v_ceiling timestamptz;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'append needs READ COMMITTED: under % it would not see what it waited for',
            current_setting('transaction_isolation') USING ERRCODE = '25000';
    END IF;
    IF p_patience_ms IS NOT NULL THEN
        PERFORM set_config('lock_timeout', greatest(p_patience_ms, 100)::text, true);
    END IF;

    PERFORM tailrace.hold_tenants(p_tenant);
    IF p_patience_ms = 0 THEN
        SELECT array_agg(c.id), array_agg(c.tenant_id), array_agg(c.last_seq), array_agg(c.last_activity_at), array_agg(c.created_at),
               min(c.created_at), max(c.last_activity_at)
          INTO v_id, v_tenant, v_seq, v_last, v_since, v_floor, v_ceiling
          FROM (SELECT k.id, k.tenant_id, k.last_seq, k.last_activity_at, k.created_at FROM public.conversations k
                 WHERE k.id = ANY (p_conversation) AND k.status = 'active' ORDER BY k.id FOR NO KEY UPDATE SKIP LOCKED) c;
        SELECT array_agg(k.id) INTO v_missed FROM public.conversations k
         WHERE k.id = ANY (p_conversation) AND k.status = 'active' AND k.id <> ALL (coalesce(v_id, '{}'));
    ELSE
        SELECT array_agg(c.id), array_agg(c.tenant_id), array_agg(c.last_seq), array_agg(c.last_activity_at), array_agg(c.created_at),
               min(c.created_at), max(c.last_activity_at)
          INTO v_id, v_tenant, v_seq, v_last, v_since, v_floor, v_ceiling
          FROM (SELECT k.id, k.tenant_id, k.last_seq, k.last_activity_at, k.created_at FROM public.conversations k
                 WHERE k.id = ANY (p_conversation) AND k.status = 'active' ORDER BY k.id FOR NO KEY UPDATE) c;
    END IF;
    v_now := public.tailrace_now();

    IF v_id IS DISTINCT FROM p_conversation THEN
        v_place := ARRAY(SELECT array_position(v_id, p_conversation[u.place])
                           FROM unnest(p_place) WITH ORDINALITY AS u(place, n) ORDER BY u.n);
    END IF;
    v_closed := ARRAY(SELECT d.tenant FROM (SELECT DISTINCT u.tenant FROM unnest(p_tenant) AS u(tenant)) d
                       WHERE NOT EXISTS (SELECT FROM public.tenants t WHERE t.id = d.tenant AND t.status = 'active'));
    v_place := ARRAY(SELECT CASE WHEN v_tenant[u.place] = u.tenant AND u.tenant <> ALL (v_closed) THEN u.place END
                       FROM unnest(v_place, p_tenant) WITH ORDINALITY AS u(place, tenant, n) ORDER BY u.n);
    IF array_position(v_place, NULL) IS NOT NULL THEN
        RETURN QUERY
            SELECT e.n::integer, CASE WHEN p_conversation[e.wanted] = ANY (coalesce(v_missed, '{}')) THEN 'set_aside' ELSE 'not_found' END,
                   '', NULL::uuid, 0::bigint, NULL::timestamptz
              FROM unnest(p_place, v_place) WITH ORDINALITY AS e(wanted, place, n)
             WHERE e.place IS NULL;
    END IF;

    IF EXISTS (SELECT FROM unnest(p_key) AS u(key) WHERE u.key IS NOT NULL) THEN
        -- LIMIT keeps this a look-up by key, month by month, whatever the planner thinks of an empty month.
        SELECT array_agg(e.n::integer), array_agg(
                   CASE WHEN a.type <> e.type THEN '/type' WHEN a.sender <> e.sender THEN '/sender'
                        WHEN a.text IS DISTINCT FROM e.text THEN '/text'
                        WHEN a.attachments <> e.attachments::jsonb THEN '/attachments'
                        WHEN a.metadata <> e.metadata::jsonb THEN '/metadata' END),
               array_agg(a.id), array_agg(a.seq), array_agg(a.inserted_at)
          INTO v_known, v_field, v_old_id, v_old_seq, v_old_at
          FROM unnest(v_place, p_key, p_type, p_sender, p_text, p_attachments, p_metadata)
               WITH ORDINALITY AS e(place, key, type, sender, text, attachments, metadata, n)
         CROSS JOIN LATERAL (
            SELECT o.* FROM public.activities o
             WHERE o.conversation_id = v_id[e.place] AND o.idempotency_key = e.key AND o.inserted_at >= v_since[e.place]
               AND o.inserted_at <= v_last[e.place] AND o.inserted_at >= v_floor AND o.inserted_at <= v_ceiling
             LIMIT 1) a
         WHERE e.key IS NOT NULL AND e.place IS NOT NULL;
        IF v_known IS NOT NULL THEN
            RETURN QUERY
                SELECT k.n, CASE WHEN k.field IS NULL THEN 'replayed' ELSE 'idempotency_conflict' END, coalesce(k.field, ''),
                       k.id, k.seq, k.at
                  FROM unnest(v_known, v_field, v_old_id, v_old_seq, v_old_at) AS k(n, field, id, seq, at);
        END IF;
    END IF;

    RETURN QUERY
    WITH placed AS MATERIALIZED (
        SELECT e.n, e.place, e.tenant, v_id[e.place] AS conversation, e.type, e.sender, e.text, e.attachments, e.metadata, e.key,
               e.traceparent, v_seq[e.place] + row_number() OVER w AS new_seq,
               greatest(v_now, v_last[e.place] + interval '1 microsecond', v_since[e.place])
                   + (row_number() OVER w - 1) * interval '1 microsecond' AS at
          FROM unnest(v_place, p_tenant, p_type, p_sender, p_text, p_attachments, p_metadata, p_key, p_traceparent)
               WITH ORDINALITY AS e(place, tenant, type, sender, text, attachments, metadata, key, traceparent, n)
         WHERE e.place IS NOT NULL AND e.n <> ALL (coalesce(v_known, '{}'))
        WINDOW w AS (PARTITION BY e.place ORDER BY e.n)
    ), named AS MATERIALIZED (
        SELECT p.*, tailrace.uuid_v7(p.at) AS new_id FROM placed p
    ), stored AS (
        INSERT INTO public.activities (id, tenant_id, conversation_id, seq, type, sender, text, attachments, metadata,
            idempotency_key, inserted_at, updated_at, traceparent)
        SELECT p.new_id, p.tenant, p.conversation, p.new_seq, p.type, p.sender, p.text, p.attachments::jsonb,
               p.metadata::jsonb, p.key, p.at, p.at, p.traceparent
          FROM named p
    ), counted AS (
        UPDATE public.conversations c SET last_seq = x.seq, last_activity_at = x.at, updated_at = v_now
          FROM (SELECT p.conversation, max(p.new_seq) AS seq, max(p.at) AS at FROM named p GROUP BY 1) x
         WHERE c.id = x.conversation
    )
    SELECT p.n::integer, 'stored', '', p.new_id, p.new_seq, p.at FROM named p;
END
$$;
