# How the look-up of enqueue should be written: microseconds a call, at 8, 24 and 60 daily partitions.
lookup_section() {
    local days batches mode round
    for days in ${lookup_days:-8 24 60}; do
        fresh
        # 8: the horizon alone. Otherwise seven days lie ahead and the rest is kept history.
        if [ "$days" = 8 ]; then sql -c "SELECT bench.make_days('telegram_outbox', -7, 0)"
        else sql -c "SELECT bench.make_days('telegram_outbox', $((8 - days)), 7)"; fi
        sql -f "$here/sql/lookup.sql" -c "SELECT bench.history('telegram_outbox', 8, 3000)" -c 'VACUUM ANALYZE telegram_outbox'
        for round in $(seq "$lookup_rounds"); do
            for batches in 1 64; do
                for mode in $lookup_modes; do
                    lookup_one "$days" "$batches" "$mode"
                done
            done
        done
    done
}

lookup_one() {
    local days=$1 batches=$2 mode=$3 rate
    rate=$(tps "$lookup_seconds" 1 "SELECT lookup.$mode(bench.tenant(), lookup.batches($batches))")
    record lookup "$mode" "$days partitions, $batches batches" 'us a call' "$(awk "BEGIN { printf \"%.1f\", 1e6 / $rate }")"
}
