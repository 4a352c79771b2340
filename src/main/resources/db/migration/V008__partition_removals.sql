-- The manifest of partitions on their way out. Whether a table may be dropped is read here and in the catalogue, never from
-- the state of a detach alone: a drop of a pending partition succeeds, and a detached table may be anybody's.
CREATE TABLE partition_removals (
    table_name    text        NOT NULL,
    period_from   timestamptz NOT NULL,
    period_to     timestamptz NOT NULL,
    partition     text        NOT NULL,
    partition_oid oid         NOT NULL,
    -- kept: expired, and something holds it. detaching: written before the detach begins. detached: it is out of the
    -- parent. dropped: gone; the row stays as the record of it.
    stage         text        NOT NULL,
    reason        text,
    since         timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    rows_estimate bigint      NOT NULL DEFAULT 0,
    bytes         bigint      NOT NULL DEFAULT 0,
    detach_ms     bigint,
    drop_ms       bigint,
    CONSTRAINT partition_removals_pkey PRIMARY KEY (table_name, period_from),
    CONSTRAINT partition_removals_stage_check CHECK (stage IN ('kept', 'detaching', 'detached', 'dropped')),
    CONSTRAINT partition_removals_reason_check CHECK ((stage = 'kept') <= (reason IS NOT NULL))
);

-- A day of attempts may hold those of a part of another day, so its removal shuts revivals out as such, for the length of
-- the transaction that looks and drops. Waits for that; V006 does not wait, because removing a day may take long.
CREATE OR REPLACE FUNCTION tailrace.hold_outbox_days(p_created_at timestamptz[]) RETURNS timestamptz[]
    LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    v_missed timestamptz[];
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('tailrace.outbox.revivals', 0));
    SELECT coalesce(array_agg(d.day ORDER BY d.day), '{}') INTO v_missed
      FROM (SELECT DISTINCT date_trunc('day', u.at, 'UTC') AS day FROM unnest(p_created_at) AS u(at)) d
     WHERE NOT pg_try_advisory_xact_lock_shared(tailrace.period_lock('telegram_outbox', d.day));
    RETURN v_missed;
END
$$;
