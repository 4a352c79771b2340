# A transaction that holds the xmin horizon for 20 s while the cycle runs: rate before and during, and the pages that a claim touches.
xmin_section() {
    local layout
    set_up -7 7 "$fill" "$fill" true 1000
    backlogs 1000 4000
    for layout in $layouts; do xmin_one "$layout"; done
}

xmin_one() { # layout
    local layout=$1 log before=$xmin_before hold=$xmin_hold load holder
    log=$(mktemp)
    record xmin "$layout" '' 'buffers of a claim of 100, before' "$(claim_buffers "$layout" "$since")"
    pgbench -n -M prepared -T $((before + hold)) -P 2 -c 1 -f <(cycle_script "$layout" 1000) >"$log" 2>&1 &
    load=$!
    sleep "$before"
    PGAPPNAME=holder sql -c 'BEGIN ISOLATION LEVEL REPEATABLE READ' -c 'SELECT count(*) FROM tenants' -c "SELECT pg_sleep($((hold + 2)))" >/dev/null &
    holder=$!
    wait "$load"
    record xmin "$layout" '' 'buffers of a claim of 100, at the end' "$(claim_buffers "$layout" "$since")"
    wait "$holder"
    awk -v before="$before" -v total=$((before + hold)) '/^progress/ { t = $2; r = $4 * 100
            if (t <= before + 0.5) { b += r; nb++ } else { d += r; nd++; if (t > total - 6.5) { e += r; ne++ } } }
        END { printf "parts a second, before\t%.0f\nparts a second, during\t%.0f\nparts a second, last 6 s of it\t%.0f\nparts moved while held\t%.0f\n", b / nb, d / nd, e / ne, 2 * d }' "$log" \
        | while IFS=$'\t' read -r name value; do record xmin "$layout" '' "$name" "$value"; done
    rm -f "$log"
}
