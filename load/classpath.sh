#!/usr/bin/env bash
# Prints the class path of the service as the root has built it (`mvn -q compile`). By way of a file: what Maven prints itself
# ends in control characters, which would become part of the last name.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
list=$(mktemp)
trap 'rm -f "$list"' EXIT
(cd "$root" && mvn -q dependency:build-classpath "-Dmdep.outputFile=$list") > /dev/null
printf '%s\n' "$root/target/classes:$(cat "$list")"
