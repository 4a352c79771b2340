# What it takes to clean up after a stretch of work, in a day that already holds many ended parts.
vacuum_section() {
    local layout tables day
    set_up 0 7 "$fill" "$fill" false "$vacuum_history"
    day=$(date -u +p%Y_%m_%d)
    backlogs 1000 4000
    for layout in $layouts; do
        cycles "$vacuum_cycles" "$(cycle_script "$layout" 1000)"
        case $layout in
            narrow) tables="public.telegram_outbox_$day public.telegram_outbox_inflight" ;;
            *) tables="$layout.telegram_outbox_$day" ;;
        esac
        vacuum_one "$layout" $tables
    done
}

vacuum_one() { # layout tables
    local layout=$1 table said wal start pages=0 ms=0
    shift
    wal=$(sql -c "SELECT pg_current_wal_insert_lsn()")
    for table in "$@"; do
        start=$(date +%s%N)
        said=$(PGOPTIONS="-c vacuum_cost_delay=0" sql -c "VACUUM (VERBOSE, INDEX_CLEANUP auto) $table" 2>&1)
        ms=$((ms + ($(date +%s%N) - start) / 1000000))
        pages=$((pages + $(awk '/^buffer usage/ { n += $3 + $5 } END { print n + 0 }' <<<"$said")))
        record vacuum "$layout" "$vacuum_history ended parts, $((vacuum_cycles * 100)) more" "indexes cleaned in ${table##*.}" \
            "$(grep -c '^index "' <<<"$said" || true)"
    done
    record vacuum "$layout" "$vacuum_history ended parts, $((vacuum_cycles * 100)) more" 'pages visited' "$pages"
    record vacuum "$layout" "$vacuum_history ended parts, $((vacuum_cycles * 100)) more" 'ms' "$ms"
    record vacuum "$layout" "$vacuum_history ended parts, $((vacuum_cycles * 100)) more" 'WAL bytes' \
        "$(sql -c "SELECT pg_current_wal_insert_lsn() - '$wal'")"
}
