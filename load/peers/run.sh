#!/usr/bin/env bash
# The outbox beside its peers on one PostgreSQL 17 with default settings (fsync and synchronous_commit on), interleaved, each
# measurement in a fresh database and a fresh process that has warmed up. Prints one table. From a fresh clone it installs what
# it needs: a build of the service, of load/ and of load/peers/java, and `npm ci`.
#
#   load/peers/run.sh [--jobs 20000] [--keyed-jobs 10000] [--keys "1000 10"] [--rounds 3] [--warmup 15000] [--seconds 60] [--only REGEX] [--out DIR] [--lock FILE]
#
# --warmup is for what runs on a JVM, the service and its generator included; Node needs less and gets 5,000 jobs or a fifth.
# --seconds cuts a drain off that takes longer; its rate is of what was drained by then. --only takes the measurements whose name
# ("unkeyed graphile-worker") matches. --lock holds that file during each measurement, for a machine that is shared.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
jobs=20000 keyed_jobs=10000 keys="1000 10" rounds=3 warmup=15000 seconds=60 only=. out=$here/target lock=
while [ $# -gt 0 ]; do
  case $1 in
    --jobs) jobs=$2 ;;
    --keyed-jobs) keyed_jobs=$2 ;;
    --keys) keys=$2 ;;
    --rounds) rounds=$2 ;;
    --warmup) warmup=$2 ;;
    --seconds) seconds=$2 ;;
    --only) only=$2 ;;
    --out) out=$2 ;;
    --lock) lock=$2 ;;
    *) sed -n '2,11p' "$0" >&2; exit 2 ;;
  esac
  shift 2
done
mkdir -p "$out"

mvn=${MVN:-mvn -q}
[ -d "$root/target/classes/io" ] || (cd "$root" && $mvn compile)
[ -d "$root/load/target/lib" ] ||
  (cd "$root/load" && $mvn compile dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=target/lib)
[ -d "$here/java/target/lib" ] ||
  (cd "$here/java" && $mvn compile dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory=target/lib)
[ -x "$here/node_modules/.bin/node" ] || (cd "$here" && npm ci --silent)
SERVICE=$("$root/load/classpath.sh")
export SERVICE JOBS=$jobs KEYED_JOBS=$keyed_jobs KEYS=$keys ROUNDS=$rounds SECONDS_MOST=$seconds ONLY=$only OUT=$out LOCK=$lock WARMUP=$warmup ROOT=$root
"$root/load/layout/with-server.sh" "$here/rounds.sh"
python3 "$here/table.py" "$out/results.jsonl" | tee "$out/table.md"
