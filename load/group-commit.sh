#!/usr/bin/env bash
# Single-part enqueues over 64 connections, with group commit and without it (one transaction an entry, pools of 4 to 32),
# interleaved, each on a fresh database. Wants `mvn -q compile` in the root and load/ built (load/README.md).
#   load/group-commit.sh [rounds]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
classpath=$("$root/load/classpath.sh")
work=$(mktemp -d)
service=
end() { if [ -n "$service" ]; then kill "$service" 2>/dev/null || true; wait "$service" 2>/dev/null || true; fi; service=; }
trap 'end; rm -rf "$work"' EXIT

measure() { # name, settings…
  local name=$1 settings=(); shift
  for one in "$@"; do settings+=(--set "$one"); done
  rm -f "$work/dev.json"
  java -Xmx384m -cp "$classpath" io.tailrace.Main dev --free-ports --info-file "$work/dev.json" "${settings[@]}" > "$work/log" 2>&1 &
  service=$!
  for _ in $(seq 120); do [ -s "$work/dev.json" ] && break; kill -0 "$service" || { cat "$work/log"; exit 1; }; sleep 0.5; done
  local url key
  url=$(sed -n 's/.*"url" : "\(http[^"]*\)".*/\1/p' "$work/dev.json" | head -1)
  key=$(sed -n 's/.*"key" : "\([^"]*\)".*/\1/p' "$work/dev.json")
  printf '%-24s ' "$name"
  java -Xmx384m -cp "$root/load/target/classes:$root/load/target/lib/*" io.tailrace.load.OutboxLoad enqueue \
    --url "$url" --key "$key" --connections 64 --warmup 6 --seconds 8 | tail -1
  end
}

for round in $(seq "${1:-2}"); do
  measure "round $round together" outbox.group_commit.enabled=true
  for pool in 4 8 16 32; do
    measure "round $round alone, pool $pool" outbox.group_commit.enabled=false "database.pool_size=$pool"
  done
done
