-- Layout A again, with the claims of layout B: a part knows its turn in its key's queue, so that a claim never walks past
-- parts that wait behind others (OUT-14). Tables and transitions are otherwise those of wide.sql.
CREATE SCHEMA wide_turn;

CREATE TABLE wide_turn.telegram_outbox (
    LIKE wide.telegram_outbox INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
    turn "char" NOT NULL DEFAULT 'd', -- s, q, c, w, l as in telegram_outbox_inflight; d: done
    PRIMARY KEY (id, created_at)
) PARTITION BY RANGE (created_at);
CREATE INDEX ON wide_turn.telegram_outbox (tenant_id, priority DESC, id) WHERE turn = 'c';
CREATE INDEX ON wide_turn.telegram_outbox (tenant_id, bot_id, priority DESC, id) WHERE turn = 'c';
CREATE INDEX ON wide_turn.telegram_outbox (key_id, id) WHERE turn <> 'd';
CREATE INDEX ON wide_turn.telegram_outbox (leased_until) WHERE lease_owner IS NOT NULL;
CREATE INDEX ON wide_turn.telegram_outbox (claim_id) WHERE turn = 'l' AND claim_id IS NOT NULL;
CREATE INDEX ON wide_turn.telegram_outbox (expires_at) WHERE turn <> 'd' AND expires_at IS NOT NULL;

CREATE TABLE wide_turn.telegram_outbox_attempts (
    LIKE public.telegram_outbox_attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS,
    PRIMARY KEY (outbox_id, lease_token, claimed_at)
) PARTITION BY RANGE (claimed_at);

-- The functions of wide, with three changes: enqueue finds out who is first on its key, the claim takes candidates,
-- settle hands the key on.
DO $do$
DECLARE
    f   text;
BEGIN
    f := replace(pg_get_functiondef('wide.enqueue'::regproc), 'wide.', 'wide_turn.');
    f := replace(f, '    v_now     timestamptz;', '    v_now     timestamptz; v_tails bigint[]; v_busy bigint[]; v_pinned bigint;');
    f := replace(f, $q$    SELECT array_agg(o.batch_id) INTO v_stored$q$, $q$
    LOOP
        SELECT coalesce(array_agg(t.id), '{}'), coalesce(array_agg(d.key_id), '{}') INTO v_tails, v_busy
          FROM (SELECT DISTINCT k FROM unnest(v_keys) k) d (key_id)
         CROSS JOIN LATERAL (SELECT h.id FROM wide_turn.telegram_outbox h
                              WHERE h.key_id = d.key_id AND h.turn <> 'd' AND h.created_at >= v_open AND h.created_at < v_until
                              ORDER BY h.id DESC LIMIT 1) t;
        SELECT count(*) INTO v_pinned
          FROM (SELECT FROM wide_turn.telegram_outbox h WHERE h.id = ANY (v_tails) AND h.created_at >= v_open AND h.created_at < v_until
                 AND h.state <> 'delivered' FOR SHARE) s;
        EXIT WHEN v_pinned = cardinality(v_tails);
    END LOOP;
    SELECT array_agg(o.batch_id) INTO v_stored$q$);
    f := replace(f, 'v_stored  text[];', $q$v_stored  text[]; v_open timestamptz := date_trunc('day', tailrace_now(), 'UTC') - interval '1 day';$q$);
    f := replace(f, 'updated_at, key_id)', 'updated_at, key_id, turn)');
    f := replace(f, $q$SELECT nextval('telegram_outbox_id_seq'), v_now$q$, 'SELECT p.id, v_now');
    f := replace(f, 'v_now, v_now, p.key_id', $q$v_now, v_now, p.key_id,
           CASE WHEN p.key_id <> ALL (v_busy) AND p.id = min(p.id) OVER (PARTITION BY p.key_id) THEN 'c' ELSE 'q' END::"char"$q$);
    f := replace(f, 'FROM unnest(v_batches, v_names, v_keys) p (batch, name, key_id)',
        $q$FROM (SELECT nextval('telegram_outbox_id_seq') AS id, u.* FROM unnest(v_batches, v_names, v_keys) u (batch, name, key_id) OFFSET 0) p$q$);
    EXECUTE f;

    f := replace(pg_get_functiondef('wide.claim'::regproc), 'wide.', 'wide_turn.');
    f := regexp_replace(f, 'CROSS JOIN LATERAL .*\) first\s', '');
    f := replace(replace(f, 'AND first.id = o.id', ''), $q$o.state IN ('pending', 'retry_wait')$q$, $q$o.turn = 'c'$q$);
    f := replace(f, $q$SET state = 'leased',$q$, $q$SET state = 'leased', turn = 'l',$q$);
    EXECUTE f;

    f := replace(pg_get_functiondef('wide.start'::regproc), 'wide.', 'wide_turn.');
    EXECUTE f;

    f := replace(pg_get_functiondef('wide.settle'::regproc), 'wide.', 'wide_turn.');
    f := replace(f, $q$SET state = 'delivered',$q$, $q$SET state = 'delivered', turn = 'd',$q$);
    f := replace(f, 'v_id      bigint[];', $q$v_id bigint[]; v_key bigint[]; v_open timestamptz := date_trunc('day', v_now, 'UTC') - interval '1 day'; v_until timestamptz := v_now + interval '1 minute';$q$);
    f := replace(f, 'RETURNING o.id, o.lease_token', 'RETURNING o.key_id, o.id, o.lease_token');
    f := replace(replace(f, 'SELECT array_agg(e.id),', 'SELECT array_agg(e.key_id), array_agg(e.id),'), 'INTO v_id,', 'INTO v_key, v_id,');
    f := replace(f, '    RETURN cardinality(v_id);', $q$
    UPDATE wide_turn.telegram_outbox h SET turn = 'c'
      FROM (SELECT DISTINCT k FROM unnest(v_key) k) d (key_id)
     CROSS JOIN LATERAL (SELECT n.id, n.created_at FROM wide_turn.telegram_outbox n
                          WHERE n.key_id = d.key_id AND n.turn <> 'd' AND n.created_at >= v_open AND n.created_at < v_until
                          ORDER BY n.id LIMIT 1) t
     WHERE h.id = t.id AND h.created_at = t.created_at AND h.state IN ('pending', 'retry_wait') AND h.turn <> 'c'
       AND h.created_at >= v_open AND h.created_at < v_until;
    RETURN cardinality(v_id);$q$);
    EXECUTE f;
END $do$;
