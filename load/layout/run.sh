#!/usr/bin/env bash
# Measures the candidate layouts of the outbox side by side (docs/adr/0003-outbox-layout.md).
#
#   load/layout/run.sh [section …]      sections: lookup writes rates scale skew vacuum xmin (default: all, under 10 minutes)
#
# Runs against the server of PGHOST, PGPORT, PGUSER, PGDATABASE, in a database of its own (tailrace_layout, dropped
# before and after), or, without PGHOST, against a throw-away server (with-server.sh). Needs psql and pgbench.
# Only ratios within one run mean anything: the clock of a shared machine is not a measure. Figures that do not depend on the
# clock (WAL, row versions, pages) are given wherever they exist.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
if [ -z "${PGHOST:-}" ]; then exec ./with-server.sh ./run.sh "$@"; fi

. ./lib.sh
for part in lookup cycle writes rates scale skew vacuum xmin; do . "./$part.sh"; done

admin_database=${PGDATABASE:-postgres}
export PGDATABASE=tailrace_layout
out=${LAYOUT_OUT:-$here/../../target/layout}
mkdir -p "$out"
results=$out/results.tsv
: >"$results"

layouts='wide wide_turn narrow'
fill=50              # of outbox and attempts days
lookup_seconds=1 lookup_rounds=2
lookup_modes='nothing generic_array auto_array custom_array execute_array execute_hidden generic_lateral execute_lateral daily_array'
writes_cycles=30
rates_seconds=4
scale_calls=20
skew_parts=10000
vacuum_history=60000 vacuum_cycles=60
xmin_before=6 xmin_hold=20

trap 'PGDATABASE=$admin_database sql -c "DROP DATABASE IF EXISTS tailrace_layout WITH (FORCE)" || true' EXIT
sections=${*:-lookup writes rates scale skew vacuum xmin}
for section in $sections; do
    echo "$section …" >&2
    began=$SECONDS
    "${section}_section" >/dev/null
    echo "  $((SECONDS - began)) s" >&2
done

echo "server: $(PGDATABASE=$admin_database sql -c 'SELECT version()')"
echo "processors: $(nproc), load average at the end: $(cut -d' ' -f1-3 /proc/loadavg)"
./report.sh "$results"
