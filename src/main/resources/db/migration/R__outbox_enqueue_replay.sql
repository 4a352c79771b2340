-- The look-ups of an enqueue (R__outbox_enqueue.sql) and what a replay may and may not do.

-- The entries whose batch has a stored part between the two instants. Always the generic plan: it prunes when it starts,
-- while planning eight partitions anew costs five times the look-up and, with 64 batches, milliseconds
-- (docs/adr/0003-outbox-layout.md). ANY rather than a join, so that the plan made on an empty day is the right one too.
CREATE OR REPLACE FUNCTION tailrace.known_batches(p_low timestamptz, p_high timestamptz, e_tenant uuid[], e_batch text[])
    RETURNS integer[] LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
    v_tenant uuid[] := ARRAY(SELECT DISTINCT u.t FROM unnest(e_tenant) AS u(t));
    v_found_tenant uuid[];
    v_found_batch  text[];
BEGIN
    SELECT array_agg(o.tenant_id), array_agg(o.batch_id) INTO v_found_tenant, v_found_batch
      FROM public.telegram_outbox o
     WHERE o.tenant_id = ANY (v_tenant) AND o.batch_id = ANY (e_batch)
       AND o.created_at >= p_low AND o.created_at < p_high;
    IF v_found_batch IS NULL THEN
        RETURN '{}';
    END IF;
    RETURN ARRAY(SELECT e.entry::integer FROM unnest(e_tenant, e_batch) WITH ORDINALITY AS e(tenant, batch, entry)
                  WHERE EXISTS (SELECT FROM unnest(v_found_tenant, v_found_batch) AS f(tenant, batch)
                                 WHERE f.tenant = e.tenant AND f.batch = e.batch));
END
$$;

-- Pins the parts in flight of known batches (see pin_tails): a part added behind one must be seen by whoever ends it.
-- Answers the entries that it did not get, which are none when it may wait.
CREATE OR REPLACE FUNCTION tailrace.pin_batches(
    p_patient boolean, p_low timestamptz, p_high timestamptz, p_known integer[], e_tenant uuid[], e_batch text[])
    RETURNS integer[] LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    v_entry  integer[];
    v_id     bigint[];
    v_pinned bigint[];
BEGIN
    EXECUTE format($q$
        SELECT array_agg(k.entry), array_agg(h.id)
          FROM unnest($1) AS k(entry)
          JOIN public.telegram_outbox o ON o.tenant_id = ($2)[k.entry] AND o.batch_id = ($3)[k.entry]
          JOIN public.telegram_outbox_inflight h ON h.id = o.id
         WHERE o.created_at >= %L AND o.created_at < %L
        $q$, p_low, p_high)
       INTO v_entry, v_id USING p_known, e_tenant, e_batch;
    IF p_patient THEN
        PERFORM h.id FROM public.telegram_outbox_inflight h WHERE h.id = ANY (v_id) ORDER BY h.id FOR KEY SHARE;
        RETURN '{}';
    END IF;
    SELECT array_agg(s.id) INTO v_pinned
      FROM (SELECT h.id FROM public.telegram_outbox_inflight h
             WHERE h.id = ANY (v_id) ORDER BY h.id FOR KEY SHARE SKIP LOCKED) s;
    RETURN ARRAY(SELECT DISTINCT u.entry FROM unnest(v_entry, v_id) AS u(entry, id)
                  WHERE u.id <> ALL (coalesce(v_pinned, '{}')));
END
$$;

-- The stored parts of known batches, with the state they are in now.
CREATE OR REPLACE FUNCTION tailrace.replayed_parts(
    p_low timestamptz, p_high timestamptz, p_known integer[], e_tenant uuid[], e_batch text[])
    RETURNS tailrace.replayed_part[] LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    v_parts tailrace.replayed_part[];
BEGIN
    EXECUTE format($q$
        SELECT array_agg(ROW(x.entry, x.part_index, x.id, x.created_at, x.operation_id, x.live_state, x.cancelled_by, x.bot_id,
                     x.chat_id, x.thread_id, x.ordering_key, x.causation_update_id, x.dialog_job_id, x.trigger_message_id,
                     x.method_kind, x.payload_version, x.original_payload, x.blob_sha256, x.delivery_policy, x.protected,
                     x.priority, x.expires_at)::tailrace.replayed_part ORDER BY x.entry, x.part_index)
          FROM (SELECT DISTINCT ON (k.entry, o.part_index) k.entry, o.*, coalesce(h.state, o.state) AS live_state
                  FROM unnest($1) AS k(entry)
                  JOIN public.telegram_outbox o ON o.tenant_id = ($2)[k.entry] AND o.batch_id = ($3)[k.entry]
                  LEFT JOIN public.telegram_outbox_inflight h ON h.id = o.id
                 WHERE o.created_at >= %L AND o.created_at < %L
                 -- Should raw SQL or a re-attached day have made twins, the lowest id answers.
                 ORDER BY k.entry, o.part_index, o.id) x
        $q$, p_low, p_high)
       INTO v_parts USING p_known, e_tenant, e_batch;
    RETURN v_parts;
END
$$;

-- Why an entry may not be replayed: the first part that differs from the stored one, or a gap that would have to be
-- filled below the highest stored index. One row an entry.
CREATE OR REPLACE FUNCTION tailrace.refused_replays(
    p_known integer[], p_stored tailrace.replayed_part[],
    p_entry integer[], p_index integer[], p_bot text[], p_chat text[], p_thread text[], p_key text[],
    p_causation text[], p_dialog text[], p_trigger text[], p_method text[], p_version integer[], p_payload text[],
    p_blob text[], p_policy text[], p_protected boolean[], p_priority integer[], p_expires timestamptz[])
    RETURNS TABLE (entry integer, part_index integer, code text, pointer text, detail text)
    LANGUAGE sql VOLATILE
AS $$
    WITH given AS (
        SELECT p.* FROM unnest(p_entry, p_index, p_bot, p_chat, p_thread, p_key, p_causation, p_dialog, p_trigger,
                               p_method, p_version, p_payload, p_blob, p_policy, p_protected, p_priority, p_expires)
            AS p(entry, part_index, bot_id, chat_id, thread_id, ordering_key, causation, dialog, trigger_id, method,
                 version, payload, blob, policy, protected, priority, expires)
         WHERE p.entry = ANY (p_known)
    ), compared AS (
        SELECT g.entry, g.part_index, s.id,
               (SELECT max(t.part_index) FROM unnest(p_stored) t WHERE t.entry = g.entry) AS last_stored,
               CASE WHEN s.id IS NULL THEN NULL
                    WHEN g.method IS DISTINCT FROM s.method_kind THEN 'method_kind'
                    WHEN g.bot_id IS DISTINCT FROM s.bot_id THEN 'bot_id'
                    WHEN g.chat_id IS DISTINCT FROM s.chat_id THEN 'chat_id'
                    WHEN g.thread_id IS DISTINCT FROM s.thread_id THEN 'thread_id'
                    WHEN g.ordering_key IS DISTINCT FROM s.ordering_key THEN 'ordering_key'
                    WHEN g.causation IS DISTINCT FROM s.causation_update_id THEN 'causation_update_id'
                    WHEN g.dialog IS DISTINCT FROM s.dialog_job_id THEN 'dialog_job_id'
                    WHEN g.trigger_id IS DISTINCT FROM s.trigger_message_id THEN 'trigger_message_id'
                    WHEN g.version IS DISTINCT FROM s.payload_version THEN 'payload_version'
                    WHEN g.payload::jsonb IS DISTINCT FROM s.original_payload THEN 'payload'
                    WHEN g.blob IS DISTINCT FROM s.blob_sha256 THEN 'blob/sha256'
                    WHEN g.policy IS DISTINCT FROM s.delivery_policy THEN 'delivery_policy'
                    WHEN g.protected IS DISTINCT FROM s.protected THEN 'protected'
                    WHEN g.priority IS DISTINCT FROM s.priority THEN 'priority'
                    WHEN g.expires IS DISTINCT FROM s.expires_at THEN 'expires_at'
               END AS differs
          FROM given g LEFT JOIN unnest(p_stored) s ON s.entry = g.entry AND s.part_index = g.part_index
    )
    SELECT DISTINCT ON (c.entry) c.entry, c.part_index,
           CASE WHEN c.differs IS NOT NULL THEN 'idempotency_conflict' ELSE 'batch_gap' END,
           '/parts/' || c.part_index || coalesce('/' || c.differs, ''),
           CASE WHEN c.differs IS NOT NULL
                THEN 'the stored part of this batch has another ' || c.differs
                     || '; a batch id may be used again only for the same parts'
                ELSE 'part ' || c.part_index || ' is not stored although part ' || c.last_stored
                     || ' is; parts can only be added after the highest stored one' END
      FROM compared c
     WHERE c.differs IS NOT NULL OR (c.id IS NULL AND c.part_index < c.last_stored)
     ORDER BY c.entry, c.part_index
$$;

-- Parts that refer to a blob which is not stored. A blob that is found is pinned, so that the collection of orphans
-- cannot take it before this transaction's part refers to it.
CREATE OR REPLACE FUNCTION tailrace.missing_blobs(e_tenant uuid[], p_entry integer[], p_index integer[], p_blob text[])
    RETURNS TABLE (entry integer, part_index integer) LANGUAGE plpgsql VOLATILE
AS $$
BEGIN
    PERFORM FROM public.telegram_outbox_blobs b
       JOIN (SELECT DISTINCT e_tenant[u.entry] AS tenant_id, u.sha256 FROM unnest(p_entry, p_blob) AS u(entry, sha256)
              WHERE u.sha256 IS NOT NULL) w ON w.tenant_id = b.tenant_id AND w.sha256 = b.sha256
      ORDER BY b.tenant_id, b.sha256 FOR KEY SHARE OF b;
    RETURN QUERY
        SELECT u.entry, u.part_index FROM unnest(p_entry, p_index, p_blob) AS u(entry, part_index, sha256)
         WHERE u.sha256 IS NOT NULL
           AND NOT EXISTS (SELECT FROM public.telegram_outbox_blobs b
                            WHERE b.tenant_id = e_tenant[u.entry] AND b.sha256 = u.sha256)
         ORDER BY u.entry, u.part_index;
END
$$;
