-- OUT-33: the enqueue for SQL callers, inside their own transaction. The batch is the JSON of POST /v1/outbox/batches;
-- the rules are those of BatchRules and R__outbox_enqueue.sql, and the same corpus is run against both edges.
--
--   SELECT tailrace.enqueue(tailrace.default_tenant(), '{"batch_id": "order:7", "parts": [{"bot_id": "7",
--       "chat_id": 1001, "ordering_key": "chat:1001", "method_kind": "sendMessage", "payload": {"text": "Paid"}}]}');
--
-- Answers as the HTTP call does. What HTTP would refuse raises: MESSAGE the problem's code, DETAIL the pointer and what is
-- wrong; SQLSTATE 22023 for a batch that is not acceptable, 23505 for a conflict with what is stored.

-- The first thing that is wrong with one member of an object, or null.
CREATE OR REPLACE FUNCTION tailrace.member_problem(p_value jsonb, p_required boolean, p_kind text, p_max integer)
    RETURNS text LANGUAGE sql IMMUTABLE
AS $$
    SELECT CASE
        WHEN p_value IS NULL OR p_value = 'null' THEN
            CASE WHEN p_required THEN 'is missing' END
        WHEN p_kind = 'object' THEN
            CASE WHEN jsonb_typeof(p_value) <> 'object' THEN 'must be an object'
                 WHEN p_max IS NOT NULL AND octet_length(p_value::text) > p_max
                 THEN 'is larger than ' || p_max || ' bytes' END
        WHEN p_kind = 'boolean' THEN
            CASE WHEN jsonb_typeof(p_value) <> 'boolean' THEN 'must be true or false' END
        WHEN p_kind = 'policy' THEN
            CASE WHEN p_value #>> '{}' NOT IN ('create', 'target_idempotent', 'ephemeral', 'financial')
                 THEN 'must be one of create, target_idempotent, ephemeral, financial' END
        WHEN p_kind = 'instant' THEN
            CASE WHEN jsonb_typeof(p_value) <> 'string' OR p_value #>> '{}' !~
                      '^(20|21)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$'
                 THEN 'must be a time as in RFC 3339, with its offset' END
        WHEN p_kind IN ('version', 'priority') THEN
            CASE WHEN jsonb_typeof(p_value) <> 'number' OR (p_value #>> '{}')::numeric % 1 <> 0 THEN 'must be a whole number'
                 WHEN p_kind = 'version' AND (p_value #>> '{}')::numeric NOT BETWEEN 0 AND 2147483647
                 THEN 'must be between 0 and 2147483647'
                 WHEN p_kind = 'priority' AND (p_value #>> '{}')::numeric NOT BETWEEN -32768 AND 32767
                 THEN 'must be between -32768 and 32767' END
        WHEN p_kind = 'sha256' THEN
            CASE WHEN p_value #>> '{}' !~ '^[0-9a-f]{64}$' THEN 'must be 64 lower-case hexadecimal digits' END
        WHEN p_kind = 'id' AND jsonb_typeof(p_value) = 'number' THEN
            CASE WHEN (p_value #>> '{}')::numeric % 1 <> 0
                   OR (p_value #>> '{}')::numeric NOT BETWEEN -9223372036854775808 AND 9223372036854775807
                 THEN 'must be text or a whole number of at most 64 bits' END
        WHEN jsonb_typeof(p_value) <> 'string' THEN 'must be text'
        WHEN p_required AND p_value = '""' THEN 'must not be empty'
        WHEN length(p_value #>> '{}') > p_max THEN 'must have at most ' || p_max || ' characters'
    END
$$;

-- The first problem of a batch as a SQL caller gives it; no row when there is none.
CREATE OR REPLACE FUNCTION tailrace.batch_problem(p_batch jsonb)
    RETURNS TABLE (pointer text, detail text) LANGUAGE plpgsql IMMUTABLE
AS $$
BEGIN
    pointer := '';
    IF p_batch IS NULL OR jsonb_typeof(p_batch) <> 'object' THEN
        detail := 'must be an object with batch_id and parts';
        RETURN NEXT; RETURN;
    END IF;
    SELECT '/' || k, 'is not a field of a batch' INTO pointer, detail
      FROM jsonb_object_keys(p_batch) k WHERE k NOT IN ('batch_id', 'parts', 'traceparent') ORDER BY k LIMIT 1;
    IF FOUND THEN RETURN NEXT; RETURN; END IF;
    pointer := '/batch_id';
    detail := tailrace.member_problem(p_batch -> 'batch_id', true, 'text', 512);
    IF detail IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
    pointer := '/parts';
    detail := CASE WHEN jsonb_typeof(p_batch -> 'parts') IS DISTINCT FROM 'array' THEN 'must be an array of parts'
                   WHEN jsonb_array_length(p_batch -> 'parts') = 0 THEN 'must have at least one part'
                   WHEN jsonb_array_length(p_batch -> 'parts') > 3000 THEN 'has more than 3000 parts' END;
    IF detail IS NOT NULL THEN RETURN NEXT; RETURN; END IF;
    SELECT '/parts/' || n - 1, 'must be an object' INTO pointer, detail
      FROM jsonb_array_elements(p_batch -> 'parts') WITH ORDINALITY AS p(part, n)
     WHERE jsonb_typeof(part) <> 'object' ORDER BY n LIMIT 1;
    IF FOUND THEN RETURN NEXT; RETURN; END IF;
    RETURN QUERY
        WITH rule (name, required, kind, longest, place) AS (VALUES
            ('bot_id', true, 'id', 64, 1), ('chat_id', false, 'id', 128, 2), ('thread_id', false, 'id', 64, 3),
            ('ordering_key', true, 'text', 512, 4), ('causation_update_id', false, 'id', 64, 5),
            ('dialog_job_id', false, 'id', 64, 6), ('trigger_message_id', false, 'id', 64, 7),
            ('method_kind', true, 'text', 64, 8), ('payload_version', false, 'version', NULL, 9),
            ('payload', true, 'object', 1048576, 10), ('blob', false, 'object', NULL, 11),
            ('delivery_policy', false, 'policy', NULL, 12), ('protected', false, 'boolean', NULL, 13),
            ('priority', false, 'priority', NULL, 14), ('available_at', false, 'instant', NULL, 15),
            ('expires_at', false, 'instant', NULL, 16)),
        blob_rule (name, required, kind, longest, place) AS (VALUES
            ('sha256', true, 'sha256', NULL, 1), ('media_type', false, 'text', 255, 2), ('file_name', false, 'text', 255, 3)),
        part AS (
            SELECT p.part, p.n FROM jsonb_array_elements(p_batch -> 'parts') WITH ORDINALITY AS p(part, n)
        ), found AS (
            SELECT p.n, coalesce(r.place, 0) AS place, m.name AS at,
                   CASE WHEN r.name IS NULL THEN 'is not a field of a part'
                        ELSE tailrace.member_problem(m.value, r.required, r.kind, r.longest) END AS what
              FROM part p CROSS JOIN LATERAL jsonb_each(p.part) AS m(name, value) LEFT JOIN rule r ON r.name = m.name
            UNION ALL
            SELECT p.n, r.place, r.name, 'is missing' FROM part p JOIN rule r ON r.required AND NOT p.part ? r.name
             WHERE NOT p.part ?& ARRAY ['bot_id', 'ordering_key', 'method_kind', 'payload']
            UNION ALL
            SELECT p.n, 11, 'blob/' || m.name,
                   CASE WHEN r.name IS NULL THEN 'is not a field of a blob'
                        ELSE tailrace.member_problem(m.value, r.required, r.kind, r.longest) END
              FROM part p CROSS JOIN LATERAL jsonb_each(p.part -> 'blob') AS m(name, value)
              LEFT JOIN blob_rule r ON r.name = m.name
             WHERE jsonb_typeof(p.part -> 'blob') = 'object'
            UNION ALL
            SELECT p.n, 11, 'blob/sha256', 'is missing' FROM part p
             WHERE jsonb_typeof(p.part -> 'blob') = 'object' AND NOT p.part -> 'blob' ? 'sha256'
        )
        SELECT '/parts/' || f.n - 1 || '/' || f.at, f.what FROM found f
         WHERE f.what IS NOT NULL ORDER BY f.n, f.place, f.at LIMIT 1;
END
$$;

CREATE OR REPLACE FUNCTION tailrace.enqueue(p_tenant uuid, p_batch jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE
AS $$
DECLARE
    v_problem record;
    v_horizon integer;
    v_answer  jsonb;
BEGIN
    SELECT * INTO v_problem FROM tailrace.batch_problem(p_batch);
    IF FOUND THEN
        RAISE EXCEPTION 'invalid_field' USING ERRCODE = '22023',
            DETAIL = v_problem.pointer || ': ' || v_problem.detail,
            HINT = 'The batch is the JSON of POST /v1/outbox/batches.';
    END IF;
    IF NOT EXISTS (SELECT FROM public.tenants t WHERE t.id = p_tenant) THEN
        RAISE EXCEPTION 'not_found' USING ERRCODE = '22023', DETAIL = 'there is no tenant ' || coalesce(p_tenant::text, 'null'),
            HINT = 'tailrace.default_tenant() is always there.';
    END IF;
    SELECT s.horizon_days INTO STRICT v_horizon FROM tailrace.outbox_settings s;

    WITH answer AS MATERIALIZED (
        SELECT a.* FROM (
            SELECT array_agg(1 ORDER BY n) AS entry, array_agg((n - 1)::integer ORDER BY n) AS part_index,
                   array_agg(q ->> 'bot_id' ORDER BY n) AS bot, array_agg(q ->> 'chat_id' ORDER BY n) AS chat,
                   array_agg(q ->> 'thread_id' ORDER BY n) AS thread, array_agg(q ->> 'ordering_key' ORDER BY n) AS key,
                   array_agg(q ->> 'causation_update_id' ORDER BY n) AS causation,
                   array_agg(q ->> 'dialog_job_id' ORDER BY n) AS dialog,
                   array_agg(q ->> 'trigger_message_id' ORDER BY n) AS trigger_id,
                   array_agg(q ->> 'method_kind' ORDER BY n) AS method,
                   array_agg(coalesce((q ->> 'payload_version')::integer, 1) ORDER BY n) AS version,
                   array_agg((q -> 'payload')::text ORDER BY n) AS payload,
                   array_agg(q #>> '{blob,sha256}' ORDER BY n) AS blob,
                   array_agg(q #>> '{blob,media_type}' ORDER BY n) AS blob_type,
                   array_agg(q #>> '{blob,file_name}' ORDER BY n) AS blob_name,
                   array_agg(coalesce(q ->> 'delivery_policy', 'create') ORDER BY n) AS policy,
                   array_agg(coalesce((q ->> 'protected')::boolean, false) ORDER BY n) AS protected,
                   array_agg(coalesce((q ->> 'priority')::integer, 0) ORDER BY n) AS priority,
                   array_agg((q ->> 'available_at')::timestamptz ORDER BY n) AS available,
                   array_agg((q ->> 'expires_at')::timestamptz ORDER BY n) AS expires
              FROM jsonb_array_elements(p_batch -> 'parts') WITH ORDINALITY AS p(q, n)) g
        CROSS JOIN LATERAL tailrace.enqueue_parts(NULL, v_horizon, ARRAY [p_tenant], ARRAY [p_batch ->> 'batch_id'],
            ARRAY [p_batch ->> 'traceparent'], g.entry, g.part_index, g.bot, g.chat, g.thread, g.key, g.causation,
            g.dialog, g.trigger_id, g.method, g.version, g.payload, g.blob, g.blob_type, g.blob_name, g.policy,
            g.protected, g.priority, g.available, g.expires) a
    )
    SELECT CASE WHEN max(a.code) IS NOT NULL
                THEN jsonb_build_object('code', max(a.code), 'pointer', max(a.pointer), 'detail', max(a.detail))
                ELSE jsonb_build_object('batch_id', p_batch ->> 'batch_id', 'stored_parts', max(a.stored_parts), 'parts',
                    jsonb_agg(jsonb_build_object('id', tailrace.part_id(a.id, a.created_at),
                        'created_at', to_char(a.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                        'operation_id', a.operation_id, 'part_index', a.part_index, 'state', a.state,
                        'inserted', a.inserted) ORDER BY a.part_index)) END
      INTO v_answer FROM answer a;
    IF v_answer ? 'code' THEN
        RAISE EXCEPTION '%', v_answer ->> 'code'
            USING ERRCODE = CASE v_answer ->> 'code' WHEN 'invalid_field' THEN '22023' ELSE '23505' END,
                  DETAIL = (v_answer ->> 'pointer') || ': ' || (v_answer ->> 'detail');
    END IF;
    RETURN v_answer;
END
$$;

-- The public form of a part's address: PartId.opaque().
CREATE OR REPLACE FUNCTION tailrace.part_id(p_id bigint, p_created_at timestamptz) RETURNS text LANGUAGE sql IMMUTABLE
AS $$
    SELECT rtrim(translate(encode(int8send((extract(epoch FROM p_created_at) * 1000000)::bigint) || int8send(p_id), 'base64'),
                           '+/', '-_'), '=')
$$;
