-- The one clock. Every instant that is stored or compared comes from here, so that two instances whose
-- own clocks disagree still agree about leases, and so that a test can move time for a whole database
-- (ALTER DATABASE … SET tailrace.clock_offset = '3 days').
-- VOLATILE on purpose: read again after waiting for a lock. Use it as (select tailrace_now()) in a
-- statement, so that it is evaluated once and a bound made from it stays an index condition.
CREATE FUNCTION tailrace_now() RETURNS timestamptz
    LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$
    SELECT clock_timestamp()
         + coalesce(nullif(current_setting('tailrace.clock_offset', true), ''), '0')::interval
$$;

CREATE SCHEMA IF NOT EXISTS tailrace;

CREATE TABLE tenants (
    id         uuid PRIMARY KEY,
    name       text NOT NULL UNIQUE CHECK (length(name) BETWEEN 1 AND 200),
    created_at timestamptz NOT NULL DEFAULT tailrace_now()
);

-- Everything belongs to a tenant. An installation that needs only one uses this one.
INSERT INTO tenants (id, name) VALUES ('00000000-0000-0000-0000-000000000001', 'default');

CREATE FUNCTION tailrace.default_tenant() RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT '00000000-0000-0000-0000-000000000001'::uuid $$;

CREATE TABLE api_keys (
    key_id       text PRIMARY KEY,
    tenant_id    uuid NOT NULL REFERENCES tenants (id),
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    -- SHA-256 of the secret: the secret is random and long, so a slow hash would buy nothing.
    secret_sha256 bytea NOT NULL CHECK (length(secret_sha256) = 32),
    scopes       text[] NOT NULL CHECK (scopes <@ ARRAY ['activities', 'outbox', 'operate', 'llm']),
    bot_ids      text[],
    created_at   timestamptz NOT NULL DEFAULT tailrace_now(),
    expires_at   timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX api_keys_tenant ON api_keys (tenant_id);

-- What the last run of each periodic worker came to; readiness reads it, whichever instance ran.
CREATE TABLE worker_runs (
    worker      text PRIMARY KEY,
    finished_at timestamptz NOT NULL,
    ok          boolean NOT NULL,
    detail      jsonb NOT NULL DEFAULT '{}'
);
