-- Conversations and their log (docs/adr/0009-activity-log.md). What grows with traffic is partitioned by month; everything else
-- is plain. No foreign key from or to activities or deliveries: it would lock the referenced table when a month is detached.
-- Nothing cascades into conversations either: deleting marks, and a purge removes in batches.

ALTER TABLE tenants
    ADD COLUMN status text NOT NULL DEFAULT 'active' CONSTRAINT tenants_status_check CHECK (status IN ('active', 'deleting')),
    -- No row of theirs leaves before it, whatever their days.
    ADD COLUMN retention_hold_until timestamptz,
    ADD COLUMN updated_at timestamptz NOT NULL DEFAULT tailrace_now();

CREATE TABLE channels (
    id         uuid        NOT NULL,
    tenant_id  uuid        NOT NULL,
    name       text        NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    type       text        NOT NULL CHECK (length(type) BETWEEN 1 AND 200),
    mode       text        NOT NULL CONSTRAINT channels_mode_check CHECK (mode IN ('inbound', 'outbound', 'duplex')),
    config     jsonb       NOT NULL DEFAULT '{}',
    status     text        NOT NULL DEFAULT 'active' CONSTRAINT channels_status_check CHECK (status IN ('active', 'deleting')),
    created_at timestamptz NOT NULL DEFAULT tailrace_now(),
    updated_at timestamptz NOT NULL DEFAULT tailrace_now(),
    CONSTRAINT channels_pkey PRIMARY KEY (id),
    CONSTRAINT channels_name UNIQUE (tenant_id, name)
);

-- last_seq and last_activity_at change with every append: no index has them, so the change stays in the row's page as long as
-- there is room (HOT), which is what the free half is for.
CREATE TABLE conversations (
    id               uuid        NOT NULL,
    tenant_id        uuid        NOT NULL,
    channel_id       uuid,
    status           text        NOT NULL DEFAULT 'active' CONSTRAINT conversations_status_check CHECK (status IN ('active', 'deleting')),
    metadata         jsonb       NOT NULL DEFAULT '{}',
    last_seq         bigint      NOT NULL DEFAULT 0,
    last_activity_at timestamptz,
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    CONSTRAINT conversations_pkey PRIMARY KEY (id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX conversations_tenant ON conversations (tenant_id, id);
CREATE INDEX conversations_channel ON conversations (channel_id, id) WHERE channel_id IS NOT NULL;

-- What was deleted is never accepted again, from a caller or from an archive.
CREATE TABLE tombstones (
    kind      text        NOT NULL CONSTRAINT tombstones_kind_check CHECK (kind IN ('tenant', 'channel', 'conversation', 'activity')),
    id        uuid        NOT NULL,
    tenant_id uuid        NOT NULL,
    at        timestamptz NOT NULL,
    CONSTRAINT tombstones_pkey PRIMARY KEY (kind, id)
);
CREATE INDEX tombstones_tenant ON tombstones (tenant_id);

-- Months: the engine makes them, each with a primary key on id alone and the unique indexes (conversation_id, seq) and
-- (conversation_id, idempotency_key). No index of a month has its time in it (V004__keys_without_time.sql says why); an id carries
-- its time, so what is unique within a month is unique.
CREATE TABLE activities (
    id              uuid        NOT NULL,
    tenant_id       uuid        NOT NULL,
    conversation_id uuid        NOT NULL,
    seq             bigint      NOT NULL,
    type            text        NOT NULL,
    sender          text        NOT NULL,
    text            text,
    attachments     jsonb       NOT NULL DEFAULT '[]',
    metadata        jsonb       NOT NULL DEFAULT '{}',
    idempotency_key text,
    inserted_at     timestamptz NOT NULL,
    updated_at      timestamptz NOT NULL,
    traceparent     text
) PARTITION BY RANGE (inserted_at);
-- A tenant's rows of a month in id order: what an archive and a purge read.
CREATE INDEX activities_tenant ON activities (tenant_id, id);

-- By the month of its activity, whenever it is made: so the two leave together, and (activity_id, channel_id) is unique.
CREATE TABLE deliveries (
    id                   uuid        NOT NULL,
    tenant_id            uuid        NOT NULL,
    activity_id          uuid        NOT NULL,
    activity_inserted_at timestamptz NOT NULL,
    channel_id           uuid        NOT NULL,
    status               text        NOT NULL DEFAULT 'pending' CONSTRAINT deliveries_status_check CHECK (status IN ('pending', 'sent', 'delivered', 'read', 'failed')),
    attempts             integer     NOT NULL DEFAULT 0,
    last_error           text,
    sent_at              timestamptz,
    delivered_at         timestamptz,
    read_at              timestamptz,
    provider_message_id  text,
    metadata             jsonb       NOT NULL DEFAULT '{}',
    inserted_at          timestamptz NOT NULL,
    updated_at           timestamptz NOT NULL
) PARTITION BY RANGE (activity_inserted_at);
CREATE INDEX deliveries_tenant ON deliveries (tenant_id, id);
-- Receipts come with the provider's id of the message.
CREATE INDEX deliveries_receipt ON deliveries (channel_id, provider_message_id) WHERE provider_message_id IS NOT NULL;

CREATE TABLE channel_health_checks (
    id         bigint      GENERATED ALWAYS AS IDENTITY,
    tenant_id  uuid        NOT NULL,
    channel_id uuid        NOT NULL,
    status     text        NOT NULL CONSTRAINT channel_health_checks_status_check CHECK (status IN ('ok', 'degraded', 'down')),
    latency_ms integer,
    detail     text,
    checked_at timestamptz NOT NULL,
    CONSTRAINT channel_health_checks_pkey PRIMARY KEY (id)
);
CREATE INDEX channel_health_checks_at ON channel_health_checks (checked_at);
CREATE INDEX channel_health_checks_channel ON channel_health_checks (channel_id, checked_at);

-- Who changed what, beside the change and in its transaction.
CREATE TABLE audit_logs (
    id          bigint      GENERATED ALWAYS AS IDENTITY,
    tenant_id   uuid,
    actor       text        NOT NULL,
    action      text        NOT NULL,
    target_kind text        NOT NULL,
    target_id   text        NOT NULL,
    detail      jsonb       NOT NULL DEFAULT '{}',
    at          timestamptz NOT NULL,
    CONSTRAINT audit_logs_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_logs_at ON audit_logs (at);
CREATE INDEX audit_logs_tenant ON audit_logs (tenant_id, id);

-- What a delete has marked and a purge has still to remove, enqueued in the deleting transaction. One at a time works on it,
-- under a lease; position says how far it has come.
CREATE TABLE purges (
    id           bigint      GENERATED ALWAYS AS IDENTITY,
    kind         text        NOT NULL CONSTRAINT purges_kind_check CHECK (kind IN ('tenant', 'channel', 'conversation')),
    target_id    uuid        NOT NULL,
    tenant_id    uuid        NOT NULL,
    requested_at timestamptz NOT NULL,
    position     jsonb       NOT NULL DEFAULT '{}',
    deliveries   bigint      NOT NULL DEFAULT 0,
    activities   bigint      NOT NULL DEFAULT 0,
    conversations bigint     NOT NULL DEFAULT 0,
    lease_owner  text,
    lease_token  bigint      NOT NULL DEFAULT 0,
    leased_until timestamptz,
    blocked_by   text,       -- why it waits, for people; a hold, a lock
    finished_at  timestamptz,
    CONSTRAINT purges_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX purges_unfinished ON purges (kind, target_id) WHERE finished_at IS NULL;
