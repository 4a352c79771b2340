#!/usr/bin/env bash
# Appends at half of what this machine does, before and while somebody's transaction keeps vacuum from removing anything for two
# minutes: rate, latencies, and what becomes of the counters' table. Wants what append.sh wants.
#   load/append-held.sh [rate] [conversations]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
if [ -z "${BENCH_SERVER_PID:-}" ]; then exec "$here/layout/with-server.sh" "$0" "$@"; fi
classpath=${SERVICE:-$("$root/load/classpath.sh")}
work=$(mktemp -d)
service= holder=
end() { for one in $holder $service; do kill "$one" 2>/dev/null || true; wait "$one" 2>/dev/null || true; done; rm -rf "$work"; }
trap end EXIT
createdb held
export PGDATABASE=held
export TAILRACE_DATABASE_HOST=$PGHOST TAILRACE_DATABASE_PORT=$PGPORT TAILRACE_DATABASE_USER=$PGUSER TAILRACE_DATABASE_NAME=held
cli=(java -Xmx384m -cp "$classpath" io.tailrace.Main)
"${cli[@]}" migrate > "$work/migrate.log"
key=$("${cli[@]}" keys create held --scope activities --json | sed -n 's/.*"key" *: *"\([^"]*\)".*/\1/p')
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"${cli[@]}" serve --set http.host=127.0.0.1 --set "http.port=$port" --set management.port=0 > "$work/serve.log" 2>&1 &
service=$!
for _ in $(seq 100); do curl -fsS "http://127.0.0.1:$port/v1/openapi.yaml" > /dev/null 2>&1 && break; sleep 0.1; done
append() {
  java -Xmx384m -cp "$root/load/target/classes:$root/load/target/lib/*" io.tailrace.load.AppendLoad --url "http://127.0.0.1:$port" --key "$key" \
    --conversations "${conversations}" "$@"
}
counters() {
  psql -XAtc "SELECT 'counters: ' || n_dead_tup || ' dead rows, heap ' || pg_size_pretty(pg_relation_size('conversations')) || ', index ' || pg_size_pretty(pg_relation_size('conversations_pkey')) FROM pg_stat_user_tables WHERE relname = 'conversations'"
}
conversations=${2:-1000}
rate=${1:-$(($(append --warmup 8 --seconds 6 | tail -1 | sed 's/.*rate=\([0-9]*\).*/\1/') / 2))}
echo "rate $rate/s over $conversations conversations"
echo "before"; append --rate "$rate" --warmup 3 --seconds 15 --rounds 2; counters
psql -qX -c 'BEGIN ISOLATION LEVEL REPEATABLE READ' -c 'SELECT txid_current()' -c "SELECT pg_sleep(600)" > /dev/null 2>&1 &
holder=$!
sleep 1
for minute in 1 2; do
  echo "held, minute $minute"; append --rate "$rate" --warmup 1 --seconds 28 --rounds 2; counters
done
psql -qXAtc "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600)%' AND pid <> pg_backend_pid()" > /dev/null
wait "$holder" || true
holder=
sleep 5
echo "after"; append --rate "$rate" --warmup 1 --seconds 15 --rounds 2; counters
