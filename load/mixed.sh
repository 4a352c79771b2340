#!/usr/bin/env bash
# Everything at once for some minutes at two instances of the service (`serve`) on one PostgreSQL 17 with default settings, then
# the database against what was acknowledged. Exits with 1 when something does not hold. Wants `mvn -q compile` in the root and
# load/ built (load/README.md).
#   load/mixed.sh [--minutes 10] [--senders 6] [--workers 6]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${BENCH_SERVER_PID:-}" ]; then exec "$root/load/layout/with-server.sh" "$0" "$@"; fi

classpath=${SERVICE:-$("$root/load/classpath.sh")}
work=$(mktemp -d)
services=()
end() {
  for one in "${services[@]}"; do kill "$one" 2>/dev/null || true; done
  for one in "${services[@]}"; do wait "$one" 2>/dev/null || true; done
  rm -rf "$work"
}
trap end EXIT

createdb mixed
export TAILRACE_DATABASE_HOST=$PGHOST TAILRACE_DATABASE_PORT=$PGPORT TAILRACE_DATABASE_USER=$PGUSER TAILRACE_DATABASE_NAME=mixed
cli=(java -Xmx256m -cp "$classpath" io.tailrace.Main)
"${cli[@]}" migrate > "$work/migrate.log"
key=$("${cli[@]}" keys create mixed --scope outbox --scope operate --json | sed -n 's/.*"key" *: *"\([^"]*\)".*/\1/p')
token=mixed-load-$$-$RANDOM$RANDOM
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
urls=() admin_urls=()
for instance in 1 2; do
  port=$(free_port) management=$(free_port)
  TAILRACE_MANAGEMENT_ADMIN_TOKEN=$token "${cli[@]}" serve --set http.host=127.0.0.1 --set "http.port=$port" \
    --set "management.port=$management" > "${MIXED_LOGS:-$work}/serve-$instance.log" 2>&1 &
  services+=($!)
  urls+=("http://127.0.0.1:$port") admin_urls+=("http://127.0.0.1:$management")
done
for url in "${admin_urls[@]}"; do
  for _ in $(seq 200); do curl -fsS "$url/readyz" > /dev/null 2>&1 && break; sleep 0.1; done
done
comma() { local IFS=,; echo "$*"; }
java -Xmx1g -cp "$root/load/target/classes:$root/load/target/lib/*" io.tailrace.load.MixedLoad --urls "$(comma "${urls[@]}")" \
  --admin-urls "$(comma "${admin_urls[@]}")" --admin-token "$token" --key "$key" --pids "$(comma "${services[@]}")" \
  --jdbc-url "jdbc:postgresql://$PGHOST:$PGPORT/mixed?user=$PGUSER" --server-log "$BENCH_SERVER_LOG" "$@"
