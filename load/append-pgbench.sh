#!/usr/bin/env bash
# Called by append.sh with a server: the append's own statement in calls of 200 over 1,000 conversations, by pgbench, with the
# settings that the service's sessions have.
set -euo pipefail
classpath=$1 name=$2 clients=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
createdb append
export PGDATABASE=append
TAILRACE_DATABASE_HOST=$PGHOST TAILRACE_DATABASE_PORT=$PGPORT TAILRACE_DATABASE_USER=$PGUSER TAILRACE_DATABASE_NAME=append \
  java -cp "$classpath" io.tailrace.Main migrate > /dev/null
psql -qX <<'SQL'
INSERT INTO conversations (id, tenant_id, created_at, updated_at)
SELECT gen_random_uuid(), tailrace.default_tenant(), now(), now() FROM generate_series(1, 1000);
CREATE TABLE bench (n integer PRIMARY KEY, id uuid NOT NULL);
INSERT INTO bench SELECT row_number() OVER (), id FROM conversations;
SQL
cat > "$work/call.sql" <<'SQL'
\set from random(0, 799)
SELECT count(*) FROM (
  SELECT array_agg(b.id) AS conversations, array_agg(b.place::integer) AS places, array_agg(tailrace.default_tenant()) AS tenants,
         array_agg('message'::text) AS types, array_agg('user-' || b.n % 50) AS senders, array_agg(repeat('x', 100)) AS texts,
         array_agg('[]'::text) AS attachments, array_agg('{"lang":"en","n":' || b.n || '}') AS metadata,
         array_agg(gen_random_uuid()::text) AS keys, array_agg(NULL::text) AS traces
    FROM (SELECT n, id, row_number() OVER (ORDER BY id) AS place FROM bench
           WHERE n > :from::integer AND n <= :from::integer + 200 ORDER BY id) b) a,
  tailrace.append_activities(NULL, a.conversations, a.places, a.tenants, a.types, a.senders, a.texts, a.attachments, a.metadata,
                             a.keys, a.traces) s
 WHERE s.code = 'stored';
SQL
export PGOPTIONS="-c enable_hashjoin=off -c enable_mergejoin=off -c enable_seqscan=off -c jit=off"
pgbench -n -M prepared -c "$clients" -j 1 -T 4 -f "$work/call.sql" > /dev/null
rate=$(pgbench -n -M prepared -c "$clients" -j 1 -T 8 -f "$work/call.sql" | sed -n 's/^tps = \([0-9.]*\).*/\1/p')
printf '%-26s rate=%.0f/s\n' "$name" "$(python3 -c "print($rate * 200)")"
