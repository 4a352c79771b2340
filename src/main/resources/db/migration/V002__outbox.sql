-- The outbox in two layers (docs/adr/0003-outbox-layout.md):
--   telegram_outbox            one row a part, daily partitions, written at enqueue and once more when the part ends;
--   telegram_outbox_inflight   one narrow row for each part that has not ended; all leasing happens here.
-- No foreign key from or to a partitioned table: it would lock the referenced table when a day is detached or dropped.

CREATE SEQUENCE telegram_outbox_id_seq AS bigint;

CREATE TABLE telegram_outbox (
    id                   bigint      NOT NULL,
    created_at           timestamptz NOT NULL,
    tenant_id            uuid        NOT NULL,
    operation_id         text        NOT NULL,
    batch_id             text        NOT NULL,
    part_index           integer     NOT NULL,
    bot_id               text        NOT NULL,
    chat_id              text,
    thread_id            text,
    ordering_key         text        NOT NULL,
    causation_update_id  text,
    dialog_job_id        text,
    trigger_message_id   text,
    method_kind          text        NOT NULL,
    payload_version      integer     NOT NULL,
    original_payload     jsonb       NOT NULL,
    payload              jsonb,      -- null until a retry replaces what is to be sent
    blob_sha256          text,
    blob_media_type      text,
    blob_file_name       text,
    delivery_policy      text        NOT NULL,
    protected            boolean     NOT NULL,
    priority             smallint    NOT NULL,
    expires_at           timestamptz,
    traceparent          text,
    available_at         timestamptz NOT NULL,
    -- From here on: written when the part ends. Until then state stays 'pending' and the live values
    -- are those of telegram_outbox_inflight (the view tailrace.outbox_parts joins the two).
    state                text        NOT NULL DEFAULT 'pending',
    attempt_count        integer     NOT NULL DEFAULT 0,
    throttle_count       integer     NOT NULL DEFAULT 0,
    rescue_count         integer     NOT NULL DEFAULT 0,
    lease_token          bigint      NOT NULL DEFAULT 0,
    last_outcome         text,       -- what the last lease came to; with the token it recognises a repeated settlement
    last_error_class     text,
    last_error           text,
    cancelled_by         bigint,     -- the part of the same batch whose end cancelled this one
    response_kind        text,
    receipt              jsonb,
    telegram_message_ids text[],
    claimed_at           timestamptz,
    request_started_at   timestamptz,
    confirmed_at         timestamptz,
    updated_at           timestamptz NOT NULL,
    CONSTRAINT telegram_outbox_pkey PRIMARY KEY (id, created_at),
    CONSTRAINT telegram_outbox_state_check CHECK (state IN
        ('pending', 'leased', 'retry_wait', 'delivered', 'ambiguous', 'dead_letter', 'expired', 'cancelled')),
    CONSTRAINT telegram_outbox_delivery_policy_check CHECK (delivery_policy IN
        ('create', 'target_idempotent', 'ephemeral', 'financial')),
    CONSTRAINT telegram_outbox_part_index_check CHECK (part_index BETWEEN 0 AND 2999)
) PARTITION BY RANGE (created_at);

-- One row an ordering key. Enqueues of one key are serialized by a row lock here, so that ids on a key
-- become visible in order. Claims and settlements never touch this table.
CREATE TABLE telegram_outbox_keys (
    key_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant_id    uuid NOT NULL,
    bot_id       text NOT NULL,
    ordering_key text NOT NULL,
    CONSTRAINT telegram_outbox_keys_name UNIQUE (tenant_id, bot_id, ordering_key)
);

CREATE TABLE telegram_outbox_inflight (
    id               bigint      NOT NULL,
    created_at       timestamptz NOT NULL,
    tenant_id        uuid        NOT NULL,
    key_id           bigint      NOT NULL,
    bot_id           text        NOT NULL,
    batch_no         bigint,     -- id of part 0 of the batch; null on part 0 itself
    part_index       integer     NOT NULL,
    priority         smallint    NOT NULL,
    delivery_policy  text        NOT NULL,
    state            text        NOT NULL DEFAULT 'pending',
    -- The part's place in its key's queue, which is what the indexes below are cut by:
    --   s  scheduled: pending, not due yet; holds nobody
    --   q  queued behind another part of its key or of its batch
    --   c  candidate: the claim looks here, and only here. A hint: the claim checks it under the row's lock
    --   w  waiting: retry_wait until available_at; holds its key
    --   l  leased
    turn             "char"      NOT NULL,
    available_at     timestamptz NOT NULL,
    expires_at       timestamptz,
    attempt_count    integer     NOT NULL DEFAULT 0,
    throttle_count   integer     NOT NULL DEFAULT 0,
    rescue_count     integer     NOT NULL DEFAULT 0,
    lapses           integer     NOT NULL DEFAULT 0, -- in a row, without an outcome between them
    lease_token      bigint      NOT NULL DEFAULT 0,
    lease_owner      text,
    leased_until     timestamptz,
    claim_id         uuid,
    claimed_at       timestamptz, -- also the day of the current attempt's row
    started_at       timestamptz,
    last_outcome     text,
    last_error_class text,
    last_error       text,
    updated_at       timestamptz NOT NULL,
    retry_jitter_ms  smallint    NOT NULL, -- 0 to 249, fixed by the operation id: retries of many parts spread out
    CONSTRAINT telegram_outbox_inflight_pkey PRIMARY KEY (id),
    CONSTRAINT telegram_outbox_inflight_state_check CHECK (state IN ('pending', 'leased', 'retry_wait')),
    CONSTRAINT telegram_outbox_inflight_turn_check CHECK (CASE turn
        WHEN 's' THEN state = 'pending'
        WHEN 'w' THEN state = 'retry_wait'
        WHEN 'l' THEN state = 'leased' AND leased_until IS NOT NULL AND claimed_at IS NOT NULL
        WHEN 'q' THEN state IN ('pending', 'retry_wait')
        WHEN 'c' THEN state IN ('pending', 'retry_wait')
        ELSE false END),
    -- So that "leased_until > now" alone means a live lease.
    CONSTRAINT telegram_outbox_inflight_lease_check CHECK ((turn = 'l') = (leased_until IS NOT NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.1);

-- The database's own word on "at most one in flight per key".
CREATE UNIQUE INDEX telegram_outbox_inflight_one_lease ON telegram_outbox_inflight (key_id) WHERE turn = 'l';
CREATE INDEX telegram_outbox_inflight_key ON telegram_outbox_inflight (key_id, id) WHERE turn <> 's';
CREATE INDEX telegram_outbox_inflight_key_scheduled ON telegram_outbox_inflight (key_id, available_at) WHERE turn = 's';
CREATE INDEX telegram_outbox_inflight_claim ON telegram_outbox_inflight (tenant_id, priority DESC, id) WHERE turn = 'c';
CREATE INDEX telegram_outbox_inflight_claim_bot ON telegram_outbox_inflight (tenant_id, bot_id, priority DESC, id) WHERE turn = 'c';
CREATE INDEX telegram_outbox_inflight_due ON telegram_outbox_inflight (available_at) WHERE turn IN ('s', 'w');
-- By state, not by turn: statements that ask for turn = 'l' by key or id must not be offered a walk over all leases, which
-- the planner prefers when it last looked at a moment without any.
CREATE INDEX telegram_outbox_inflight_lease ON telegram_outbox_inflight (leased_until) WHERE state = 'leased';
CREATE INDEX telegram_outbox_inflight_claim_id ON telegram_outbox_inflight (claim_id) WHERE turn = 'l' AND claim_id IS NOT NULL;
CREATE INDEX telegram_outbox_inflight_expiry ON telegram_outbox_inflight (expires_at) WHERE turn <> 'l' AND expires_at IS NOT NULL;
CREATE INDEX telegram_outbox_inflight_batch ON telegram_outbox_inflight (batch_no, part_index) WHERE batch_no IS NOT NULL;

CREATE TABLE telegram_outbox_attempts (
    outbox_id            bigint      NOT NULL,
    outbox_created_at    timestamptz NOT NULL,
    attempt              integer     NOT NULL,
    lease_token          bigint      NOT NULL,
    worker_id            text        NOT NULL,
    claimed_at           timestamptz NOT NULL,
    request_started_at   timestamptz,
    response_received_at timestamptz,
    finished_at          timestamptz,
    outcome              text,
    http_status          integer,
    latency_ms           bigint,
    error_class          text,
    error                text,
    CONSTRAINT telegram_outbox_attempts_pkey PRIMARY KEY (outbox_id, lease_token, claimed_at)
) PARTITION BY RANGE (claimed_at);

CREATE TABLE telegram_outbox_blobs (
    tenant_id  uuid        NOT NULL,
    sha256     text        NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    media_type text        NOT NULL,
    bytes      bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT tailrace_now(),
    CONSTRAINT telegram_outbox_blobs_pkey PRIMARY KEY (tenant_id, sha256)
);
-- Photos and voice notes do not compress; trying costs time at every store.
ALTER TABLE telegram_outbox_blobs ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- A bot that the provider told to wait, or that an operator stopped. until null: until resumed.
CREATE TABLE telegram_outbox_paused_bots (
    tenant_id uuid        NOT NULL,
    bot_id    text        NOT NULL,
    until     timestamptz,
    reason    text        NOT NULL,
    CONSTRAINT telegram_outbox_paused_bots_pkey PRIMARY KEY (tenant_id, bot_id)
);

CREATE VIEW tailrace.outbox_parts AS
SELECT o.id, o.created_at, o.tenant_id, o.operation_id, o.batch_id, o.part_index, o.bot_id, o.chat_id, o.thread_id,
       o.ordering_key, o.causation_update_id, o.dialog_job_id, o.trigger_message_id, o.method_kind, o.payload_version,
       o.original_payload, coalesce(o.payload, o.original_payload) AS payload,
       o.blob_sha256, o.blob_media_type, o.blob_file_name, o.delivery_policy, o.protected, o.priority,
       coalesce(h.state, o.state)                       AS state,
       coalesce(h.available_at, o.available_at)         AS available_at,
       o.expires_at,
       coalesce(h.attempt_count, o.attempt_count)       AS attempt_count,
       coalesce(h.throttle_count, o.throttle_count)     AS throttle_count,
       coalesce(h.rescue_count, o.rescue_count)         AS rescue_count,
       h.lease_owner, coalesce(h.lease_token, o.lease_token) AS lease_token, h.leased_until,
       coalesce(h.claimed_at, o.claimed_at)             AS claimed_at,
       coalesce(h.started_at, o.request_started_at)     AS request_started_at,
       CASE WHEN h.id IS NULL THEN o.last_error_class ELSE h.last_error_class END AS last_error_class,
       CASE WHEN h.id IS NULL THEN o.last_error ELSE h.last_error END             AS last_error,
       o.cancelled_by, o.response_kind, o.receipt, o.telegram_message_ids, o.confirmed_at,
       greatest(h.updated_at, o.updated_at)             AS updated_at, o.traceparent
FROM telegram_outbox o
LEFT JOIN telegram_outbox_inflight h ON h.id = o.id;

-- A stored part of a batch that is being enqueued again (R__outbox_enqueue.sql).
CREATE TYPE tailrace.replayed_part AS (
    entry integer, part_index integer, id bigint, created_at timestamptz, operation_id text, state text,
    cancelled_by bigint, bot_id text, chat_id text, thread_id text, ordering_key text, causation_update_id text,
    dialog_job_id text, trigger_message_id text, method_kind text, payload_version integer, original_payload jsonb,
    blob_sha256 text, delivery_policy text, protected boolean, priority smallint, expires_at timestamptz
);

-- What SQL callers of tailrace.enqueue must agree on with the service, which writes its settings here when it starts.
CREATE TABLE tailrace.outbox_settings (
    only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    horizon_days integer NOT NULL CHECK (horizon_days BETWEEN 1 AND 31)
);
INSERT INTO tailrace.outbox_settings (horizon_days) VALUES (7);
