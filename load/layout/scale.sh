# Enqueue and claim alone at 8, 24 and 60 daily partitions. wide and wide_turn claim twice: since yesterday (they are told the oldest day with
# an unfinished part) and over every day (when one old part keeps its day open).
scale_section() {
    local days first last layout round
    for days in 8 24 60; do
        first=-7 last=0
        [ "$days" = 8 ] || { first=$((8 - days)) last=7; }
        set_up "$first" "$last" "$fill" "$fill" false 500
        backlogs 1000 4000
        for round in 1 2; do
            for layout in $layouts; do
                scale_one "$layout" "$days" 'enqueue 100' "SELECT $layout.enqueue(100, 1000);"
                scale_one "$layout" "$days" 'claim 100, since yesterday' "SELECT * FROM $layout.claim(100, $since);"
                [ "$layout" = narrow ] || scale_one "$layout" "$days" 'claim 100, every day' "SELECT * FROM $layout.claim(100, '-infinity');"
            done
        done
        for layout in $layouts; do
            record scale "$layout" "$days partitions" 'buffers of a claim of 100, since yesterday' "$(claim_buffers "$layout" "$since")"
            record scale "$layout" "$days partitions" 'buffers of a claim of 100, every day' "$(claim_buffers "$layout" "'-infinity'")"
            [ "$days" != 60 ] || claim_plan "$layout" "$since" >"$out/claim-$layout.txt"
        done
    done
}

# Each call is rolled back, so that the next finds the same. The rollback leaves dead rows to all layouts alike.
scale_one() { # layout days name statement
    local script ms
    script=$(printf 'BEGIN;\n%s\nROLLBACK;\n' "$4")
    ms=$(pgbench -n -M prepared -t "$scale_calls" -c 1 -r -f <(printf '%s\n' "$script") 2>&1 \
        | awk '/SELECT/ && /^ +[0-9.]+/ { print $1; exit }')
    record scale "$1" "$2 partitions" "$3, ms" "$ms"
}

# Pages touched by one claim, a number that a busy machine does not change. The second call: the first one plans.
claim_buffers() { # layout since
    sql <<SQL | awk '/^Function Scan/ { top = 1; next } /Buffers: shared/ && top { gsub(/[a-z]+=/, ""); pages = $3 + ($4 ~ /^[0-9]+$/ ? $4 : 0); top = 0 } END { print pages }'
BEGIN; SAVEPOINT s;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT * FROM $1.claim(100, $2);
ROLLBACK TO s;
EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, SUMMARY OFF) SELECT * FROM $1.claim(100, $2);
ROLLBACK;
SQL
}

claim_plan() { # layout since
    sql 2>&1 <<SQL | sed -n '/FOR NO KEY UPDATE/,/^CONTEXT/p' | grep -v '^CONTEXT' | grep -v 'never executed'
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on; SET client_min_messages = log;
BEGIN;
SELECT cardinality(ids) FROM $1.claim(100, $2);
ROLLBACK;
SQL
}
