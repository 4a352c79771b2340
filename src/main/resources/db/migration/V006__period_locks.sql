-- Who brings back a part of an old day holds that day's lock, shared; who removes a day holds it exclusively, from the
-- check until after the drop. So a part is either seen by the check, or not brought back.
CREATE FUNCTION tailrace.period_lock(p_table text, p_from timestamptz) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
AS $$ SELECT hashtextextended('tailrace.period:' || p_table || ':' || to_char(p_from AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 0) $$;

-- Holds the days of these parts for the rest of the transaction; answers those that are just being removed, and are not
-- held. Does not wait: a removal may take as long as the oldest reader.
CREATE FUNCTION tailrace.hold_outbox_days(p_created_at timestamptz[]) RETURNS timestamptz[]
    LANGUAGE sql VOLATILE
AS $$
    SELECT coalesce(array_agg(d.day ORDER BY d.day), '{}')
      FROM (SELECT DISTINCT date_trunc('day', u.at, 'UTC') AS day FROM unnest(p_created_at) AS u(at)) d
     WHERE NOT pg_try_advisory_xact_lock_shared(tailrace.period_lock('telegram_outbox', d.day))
$$;
