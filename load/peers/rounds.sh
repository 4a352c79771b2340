#!/usr/bin/env bash
# Called by run.sh with a server: the measurements in rounds, one line of JSON each into $OUT/results.jsonl.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
node=$here/node_modules/.bin/node
: > "$OUT/results.jsonl"
service=
end_service() { if [ -n "$service" ]; then kill "$service" 2>/dev/null || true; wait "$service" 2>/dev/null || true; fi; service=; }
trap end_service EXIT

psql -qAtX -c "SELECT version()" -c "SELECT name || ' ' || setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers')" >&2

hold() { if [ -n "$LOCK" ]; then exec 9> "$LOCK"; flock 9; fi; }
let_go() { if [ -n "$LOCK" ]; then exec 9>&-; fi; }

# Everybody begins with an empty database and a server that has nothing left to write.
fresh() {
  dropdb --if-exists --force peers
  createdb peers
  psql -qAtXc CHECKPOINT
  export PGDATABASE=peers
}

keep() { # measure, then JSON on stdin
  local measure=$1 line
  line=$(tail -1)
  [[ $line == \{* ]] || { echo "$measure: no result: $line" >&2; return 0; }
  sed "s/^{/{\"measure\":\"$measure\",/" <<< "$line" | tee -a "$OUT/results.jsonl"
}

wanted() { [[ $1 =~ $ONLY ]]; }

tailrace() { # measure, name, arguments of DrainLoad
  local measure=$1 name=$2; shift 2
  wanted "$measure $name" || return 0
  hold
  PGDATABASE=postgres fresh
  export TAILRACE_DATABASE_HOST=$PGHOST TAILRACE_DATABASE_PORT=$PGPORT TAILRACE_DATABASE_USER=$PGUSER TAILRACE_DATABASE_NAME=peers
  local cli=(java -Xmx384m -cp "$SERVICE" io.tailrace.Main) port key
  "${cli[@]}" migrate > "$OUT/migrate.log" 2>&1
  key=$("${cli[@]}" keys create peers --scope outbox --json | sed -n 's/.*"key" *: *"\([^"]*\)".*/\1/p')
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  java -Xmx384m ${SERVICE_OPTS:-} -cp "$SERVICE" io.tailrace.Main serve --set http.host=127.0.0.1 --set "http.port=$port" --set management.port=0 \
    > "$OUT/serve.log" 2>&1 9>&- &
  service=$!
  for _ in $(seq 100); do curl -fsS "http://127.0.0.1:$port/v1/openapi.yaml" > /dev/null 2>&1 && break; sleep 0.1; done
  timeout 300 java -Xmx384m -cp "$ROOT/load/target/classes:$ROOT/load/target/lib/*" io.tailrace.load.DrainLoad \
    --url "http://127.0.0.1:$port" --key "$key" --warmup "$WARMUP" "$@" 2> "$OUT/drain.err" | sed "s/\"peer\":\"tailrace\"/\"peer\":\"$name\"/" | keep "$measure" ||
    tail -5 "$OUT/drain.err" >&2
  end_service
  let_go
}

peer() { # measure, name, command…
  local measure=$1 name=$2; shift 2
  wanted "$measure $name" || return 0
  hold
  PGDATABASE=postgres fresh
  timeout $((SECONDS_MOST * 3 + 60)) "$@" 2> "$OUT/peer.err" | keep "$measure" || tail -5 "$OUT/peer.err" >&2
  let_go
}

java_peer() { # measure, name, class, arguments
  local measure=$1 name=$2 class=$3; shift 3
  peer "$measure" "$name" java -Xmx384m -cp "$here/java/target/classes:$here/java/target/lib/*" "io.tailrace.peers.$class" "--seconds=$SECONDS_MOST" "--name=$name" "--warmup=$WARMUP" "$@"
}

node_peer() { # measure, name, script, arguments
  local measure=$1 name=$2 script=$3; shift 3
  peer "$measure" "$name" "$node" "$here/$script" "--seconds=$SECONDS_MOST" "--name=$name" "$@"
}

unkeyed() {
  tailrace unkeyed tailrace --parts "$JOBS" --keys 0 --lines 1000 --producers 4 --limit 256 --claimers 4
  node_peer unkeyed graphile-worker graphile.mjs "--jobs=$JOBS"
  tailrace unkeyed "tailrace, started by the claim" --parts "$JOBS" --keys 0 --lines 1000 --producers 4 --limit 256 --claimers 4 --start-with-claim yes
  tailrace "unkeyed, enqueue only" "tailrace, 3,000 parts a batch" --parts "$JOBS" --keys 0 --lines 0 --batch 3000 --producers 2 --enqueue-only yes
  node_peer unkeyed pg-boss pgboss.mjs "--jobs=$JOBS"
  java_peer unkeyed db-scheduler DbSchedulerPeer "--jobs=$JOBS"
  java_peer unkeyed namastack-outbox NamastackPeer "--jobs=$JOBS"
}

keyed() { # keys
  local warmup=$((KEYED_JOBS / 5))
  local measure="$1 keys"
  tailrace "$measure" tailrace --parts "$KEYED_JOBS" --keys "$1" --lines 1000 --producers 4 --limit 256 --claimers 4
  tailrace "$measure" "tailrace, started by the claim" --parts "$KEYED_JOBS" --keys "$1" --lines 1000 --producers 4 --limit 256 --claimers 4 --start-with-claim yes
  java_peer "$measure" namastack-outbox NamastackPeer "--jobs=$KEYED_JOBS" "--keys=$1"
  node_peer "$measure" graphile-worker graphile.mjs "--jobs=$KEYED_JOBS" "--keys=$1" "--warmup=$warmup"
  node_peer "$measure" "graphile-worker, no local queue" graphile.mjs "--jobs=$KEYED_JOBS" "--keys=$1" --local=0 --warmup=500
  node_peer "$measure" pg-boss pgboss.mjs "--jobs=$KEYED_JOBS" "--keys=$1" "--warmup=$warmup" --batch=1000 --loops=2
}

for round in $(seq "$ROUNDS"); do
  echo "round $round" >&2
  unkeyed
  for count in $KEYS; do keyed "$count"; done
done
