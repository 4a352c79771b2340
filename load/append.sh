#!/usr/bin/env bash
# Single appends over 64 connections (PERF-2), interleaved, each on a fresh database and warmed up for 15 s: with group commit; without it (the same
# statement, one transaction an entry, pools of 4 to 32); and pgbench alone with the same statement in calls of 200, where no
# service runs. Wants `mvn -q compile` in the root, load/ built (load/README.md), and pgbench and psql on the path.
#   load/append.sh [rounds] [what…]        what: together alone pgbench half bulk
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
classpath=$("$root/load/classpath.sh")
work=$(mktemp -d)
service=
end() { if [ -n "$service" ]; then kill "$service" 2>/dev/null || true; wait "$service" 2>/dev/null || true; fi; service=; }
trap 'end; rm -rf "$work"' EXIT

begin() { # settings…
  local settings=()
  for one in "$@"; do settings+=(--set "$one"); done
  rm -f "$work/dev.json"
  java -Xmx384m -cp "$classpath" io.tailrace.Main dev --free-ports --info-file "$work/dev.json" "${settings[@]}" > "$work/log" 2>&1 &
  service=$!
  for _ in $(seq 120); do [ -s "$work/dev.json" ] && break; kill -0 "$service" || { cat "$work/log"; exit 1; }; sleep 0.5; done
  url=$(sed -n 's/.*"url" : "\(http[^"]*\)".*/\1/p' "$work/dev.json" | head -1)
  key=$(sed -n 's/.*"key" : "\([^"]*\)".*/\1/p' "$work/dev.json")
  jdbc=$(sed -n 's/.*"jdbc_url" : "\([^"]*\)".*/\1/p' "$work/dev.json")
}
append() { java -Xmx384m -cp "$root/load/target/classes:$root/load/target/lib/*" io.tailrace.load.AppendLoad --url "$url" --key "$key" "$@"; }

measure() { # name, arguments of AppendLoad -- settings…
  local name=$1 arguments=(); shift
  while [ $# -gt 0 ] && [ "$1" != -- ]; do arguments+=("$1"); shift; done
  [ $# -eq 0 ] || shift
  begin "$@"
  printf '%-26s ' "$name"
  append --warmup 15 "${arguments[@]}" | tail -1
  end
}

pgbench_alone() { # name, clients
  "$root/load/layout/with-server.sh" "$here/append-pgbench.sh" "$classpath" "$1" "$2"
}

# Half of what this round's peak was, beside a route that does nothing at the same rate, in turn.
half() {
  begin
  local peak rate
  peak=$(append --warmup 15 --seconds 6 | tail -1 | sed 's/.*rate=\([0-9]*\).*/\1/')
  rate=$((peak / 2))
  for _ in 1 2 3; do
    printf '%-26s ' "half of $peak/s"
    append --warmup 15 --seconds 6 --rate "$rate" | tail -1
    printf '%-26s ' "nothing, same rate"
    append --warmup 15 --seconds 6 --rate "$rate" --conversations 1 --path /v1/conversations/none | tail -1
  done
  end
}

rounds=${1:-2}
shift || true
what=" ${*:-together alone pgbench half bulk} "
for round in $(seq "$rounds"); do
  echo "round $round"
  [[ $what != *" together "* ]] || measure "together" --connections 64
  [[ $what != *" together "* ]] || measure "together, 256 connections" --connections 256
  if [[ $what == *" alone "* ]]; then
    for pool in 4 8 16 32; do
      measure "alone, pool $pool" --connections 64 -- activities.group_commit.enabled=false outbox.group_commit.enabled=false "database.pool_size=$pool"
    done
  fi
  [[ $what != *" pgbench "* ]] || { pgbench_alone "pgbench, 1 connection" 1; pgbench_alone "pgbench, 4 connections" 4; }
  [[ $what != *" bulk "* ]] || measure "bulk of 500, 4 at once" --connections 4 --bulk 500
  [[ $what != *" half "* ]] || half
done
