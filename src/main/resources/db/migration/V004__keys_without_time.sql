-- No index of a daily table has the time column in it. A bound on time is there to prune; as soon as an index has that
-- column, the planner may also take it for a condition of the index, and on a day that was empty when the plan was made,
-- reading that whole index looks as cheap as going by key. The plan then stays, and the day fills up
-- (docs/adr/0003-outbox-layout.md: 600 enqueues a second instead of 9,000).
-- So each day has the primary key, and the parent, whose key would have to contain the time, has none. Ids come from one
-- sequence, so what is unique within a day is unique.
ALTER TABLE telegram_outbox DROP CONSTRAINT telegram_outbox_pkey;
ALTER TABLE telegram_outbox_attempts DROP CONSTRAINT telegram_outbox_attempts_pkey;

DO $$
DECLARE
    v_day record;
BEGIN
    FOR v_day IN SELECT i.inhrelid::regclass AS name, i.inhparent = 'telegram_outbox'::regclass AS parts
                   FROM pg_inherits i
                  WHERE i.inhparent IN ('telegram_outbox'::regclass, 'telegram_outbox_attempts'::regclass) LOOP
        EXECUTE format('ALTER TABLE %s ADD PRIMARY KEY (%s)', v_day.name,
                       CASE WHEN v_day.parts THEN 'id' ELSE 'outbox_id, lease_token' END);
    END LOOP;
END
$$;

-- Its answer gets a column (R__outbox_enqueue.sql), which CREATE OR REPLACE cannot add.
DO $$
DECLARE
    v_old record;
BEGIN
    FOR v_old IN SELECT p.oid::regprocedure AS signature FROM pg_proc p
                  WHERE p.proname = 'enqueue_parts' AND p.pronamespace = 'tailrace'::regnamespace LOOP
        EXECUTE format('DROP FUNCTION %s', v_old.signature);
    END LOOP;
END
$$;
