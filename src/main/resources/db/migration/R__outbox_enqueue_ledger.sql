-- The ledger of batches whose days may have gone (V009__outbox_ledger.sql). Called under the batches' locks, so nobody
-- stores one between the look-up and the entry.

CREATE OR REPLACE FUNCTION tailrace.ledger_hash(p_tenant uuid, p_batch text)
    RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
AS $$
    SELECT encode(substr(sha256(convert_to(p_tenant::text, 'UTF8') || '\x00'::bytea || convert_to(p_batch, 'UTF8')), 1, 16),
                  'hex')::uuid
$$;

-- Those of the entries whose batch was stored since then, and when. The generic plan prunes when it starts
-- (known_batches in R__outbox_enqueue_replay.sql says why it is wanted).
CREATE OR REPLACE FUNCTION tailrace.ledger_batches(
    p_low timestamptz, p_high timestamptz, p_entry integer[], e_tenant uuid[], e_batch text[])
    RETURNS TABLE (entry integer, stored_at timestamptz)
    LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
    v_hash  uuid[] := ARRAY(SELECT tailrace.ledger_hash(e_tenant[u.e], e_batch[u.e]) FROM unnest(p_entry) WITH ORDINALITY AS u(e, n) ORDER BY u.n);
    v_found uuid[];
    v_at    timestamptz[];
BEGIN
    SELECT array_agg(l.batch_hash), array_agg(l.stored_at) INTO v_found, v_at
      FROM public.telegram_outbox_ledger l
     WHERE l.batch_hash = ANY (v_hash) AND l.stored_at >= p_low AND l.stored_at < p_high;
    IF v_found IS NOT NULL THEN
        RETURN QUERY SELECT g.entry, max(f.at) FROM unnest(p_entry, v_hash) AS g(entry, hash)
                       JOIN unnest(v_found, v_at) AS f(hash, at) ON f.hash = g.hash GROUP BY g.entry;
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION tailrace.enter_in_ledger(p_now timestamptz, p_entry integer[], e_tenant uuid[], e_batch text[])
    RETURNS void LANGUAGE sql VOLATILE
AS $$
    INSERT INTO public.telegram_outbox_ledger (batch_hash, stored_at)
    SELECT tailrace.ledger_hash(e_tenant[u.e], e_batch[u.e]), p_now FROM unnest(p_entry) AS u(e)
$$;
