#!/usr/bin/env bash
# Every guard earns its place: each patch here takes one away, and the test that it names must turn red.
#
#   src/test/mutations/run.sh [PATCH…]      all patches when none is named
#
# A patch begins with
#   # test: OutboxEnqueueIT#aSecondEnqueueWaits      class#method, as -Dit.test takes it
#   # why: what the guard keeps from happening
# and goes on as `git diff` prints it. It runs in a copy of the tree, so that the tree stays as it is. A patch that does
# not apply, does not compile, leaves broken SQL behind or lets its test pass fails the script; so does a named
# test that is red without any patch.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
if [ $# -gt 0 ]; then patches=("$@"); else shopt -s nullglob; patches=("$here"/*.patch); fi
if [ ${#patches[@]} -eq 0 ]; then echo "no mutations"; exit 0; fi
for i in "${!patches[@]}"; do patches[i]=$(realpath "${patches[$i]}"); done

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
tar -C "$root" --exclude=./target --exclude=./.git -cf - . | tar -C "$copy" -xf -
cd "$copy"

# The copy is compiled without the checks that a mutant may well offend, such as "this is never used".
maven() { mvn -o -q -B -Pmutation "$@" >> "$copy/maven.log" 2>&1; }
header() { sed -n "s/^# $1: *//p" "$2" | head -n 1; }
summary() { sed -n "s/.*<$1>\([0-9]*\)<.*/\1/p" target/failsafe-reports/failsafe-summary.xml; }
show_log() { { grep -E 'ERROR|Tests run' "$copy/maven.log" || true; } | head -n 8 | sed 's/^/      /'; }

# Leaves failsafe-summary.xml behind, whether the tests pass or not; fails when there is nothing to run.
run_test() {
    rm -rf target/failsafe-reports
    maven failsafe:integration-test "-Dit.test=$1" && [ -f target/failsafe-reports/failsafe-summary.xml ]
}

failures() { echo $(($(summary errors) + $(summary failures))); }

# A mutant that breaks the schema or a statement proves nothing about its guard; nor does one that stops the class's set-up.
broken_sql() { grep -qE 'syntax error at or near|(column|relation|function) .* does not exist' target/failsafe-reports/*.xml; }
set_up_failed() { grep -qE '<testcase name=""' target/failsafe-reports/*.xml; }

all=""
for patch in "${patches[@]}"; do
    test=$(header test "$patch")
    if [ -z "$test" ] || [ -z "$(header why "$patch")" ]; then
        echo "$(basename "$patch"): needs the lines '# test: …' and '# why: …'"; exit 1
    fi
    case ",$all," in *",$test,"*) ;; *) all="${all:+$all,}$test" ;; esac
done

echo "Without a patch: $all"
: > "$copy/maven.log"
if ! maven test-compile || ! run_test "$all" || [ "$(failures)" -ne 0 ]; then
    echo "  RED before any patch was applied"; show_log; exit 1
fi
echo "  green, $(summary completed) test(s)"

# One line a patch: what became of it.
try() {
    local patch=$1 test
    test=$(header test "$patch")
    : > "$copy/maven.log"
    git apply --check "$patch" 2>> "$copy/maven.log" || { verdict="does not apply"; return; }
    git apply "$patch"
    if ! maven test-compile; then verdict="does not compile"
    elif ! run_test "$test"; then verdict="its test did not run"
    elif broken_sql; then verdict="breaks the SQL, not the guard"
    elif set_up_failed; then verdict="breaks the set-up, not the guard"
    elif [ "$(failures)" -eq 0 ]; then verdict="SURVIVED"
    else verdict=red
    fi
    git apply -R "$patch"
}

survivors=0
for patch in "${patches[@]}"; do
    try "$patch"
    if [ "$verdict" = red ]; then
        printf 'ok    %s: %s is red\n' "$(basename "$patch")" "$(header test "$patch")"
    else
        survivors=$((survivors + 1))
        printf 'FAIL  %s: %s (%s; %s)\n' "$(basename "$patch")" "$verdict" "$(header test "$patch")" "$(header why "$patch")"
        show_log
    fi
done
echo "${#patches[@]} mutation(s), $survivors not caught"
[ "$survivors" -eq 0 ]
