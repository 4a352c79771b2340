-- A bot may be told to wait by its provider and be stopped by an operator at the same time: two rows, so that neither
-- shortens, lengthens or ends the other.
ALTER TABLE telegram_outbox_paused_bots
    DROP CONSTRAINT telegram_outbox_paused_bots_pkey,
    ADD CONSTRAINT telegram_outbox_paused_bots_pkey PRIMARY KEY (tenant_id, bot_id, reason),
    ADD CONSTRAINT telegram_outbox_paused_bots_reason_check CHECK (reason IN ('throttled', 'operator'));

-- An operator's order about many parts, worked off part by part in id order. Where it stands (last_id) is committed
-- together with what it did, so whoever goes on after a kill does no part twice.
CREATE TABLE telegram_outbox_redrives (
    redrive_id            uuid        NOT NULL DEFAULT gen_random_uuid(),
    tenant_id             uuid        NOT NULL,
    bot_ids               text[],     -- the bots of the key that ordered it; null: any
    action                text        NOT NULL,
    state                 text        NOT NULL,
    bot_id                text,
    error_class           text,
    since                 timestamptz,
    accept_duplicate_risk boolean     NOT NULL,
    rate_per_second       integer     NOT NULL,
    matched               bigint      NOT NULL,
    last_id               bigint      NOT NULL DEFAULT 0,
    up_to_id              bigint      NOT NULL, -- what matches later is not part of the order
    done                  bigint      NOT NULL DEFAULT 0,
    skipped               bigint      NOT NULL DEFAULT 0,
    skipped_risk          bigint      NOT NULL DEFAULT 0, -- of them: ambiguous, and the risk was not accepted
    next_at               timestamptz NOT NULL,
    created_at            timestamptz NOT NULL,
    finished_at           timestamptz,
    CONSTRAINT telegram_outbox_redrives_pkey PRIMARY KEY (redrive_id),
    CONSTRAINT telegram_outbox_redrives_action_check CHECK (action IN ('retry', 'cancel')),
    CONSTRAINT telegram_outbox_redrives_rate_check CHECK (rate_per_second BETWEEN 1 AND 1000)
);
CREATE INDEX telegram_outbox_redrives_open ON telegram_outbox_redrives (created_at) WHERE finished_at IS NULL;

-- Whether a blob is still referred to. Most parts have none and are not in it; the column never changes.
CREATE INDEX telegram_outbox_blob ON telegram_outbox (blob_sha256) WHERE blob_sha256 IS NOT NULL;
