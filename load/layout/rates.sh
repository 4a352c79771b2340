# Parts a second of the whole cycle, layouts interleaved; CPU of the server beside it when that can be read.
rates_section() {
    local keys round layout
    for keys in 1000 10; do
        set_up -7 7 "$fill" "$fill" true 3000
        backlogs "$keys" $((keys * 4))
        for round in 1 2 3; do
            for layout in $layouts; do rates_one "$layout" "$keys" 1; done
        done
        [ "$keys" = 1000 ] || continue
        for round in 1 2; do
            for layout in $layouts; do rates_one "$layout" "$keys" 4; done
        done
    done
}

rates_one() { # layout keys clients
    local layout=$1 keys=$2 clients=$3 cpu setting="$2 keys, $3 client(s)" parts
    cpu=$(server_cpu)
    parts=$(settled "$layout")
    tps "$rates_seconds" "$clients" "$(cycle_script "$layout" "$keys")" >/dev/null
    # What was settled is counted: a claim that found fewer than it asked for must not pass for a fast one.
    parts=$(($(settled "$layout") - parts))
    record rates "$layout" "$setting" 'parts a second' "$((parts / rates_seconds))"
    [ -z "$cpu" ] || record rates "$layout" "$setting" 'server CPU us a part' "$(awk "BEGIN { printf \"%.0f\", ($(server_cpu) - $cpu) * 1000 / $parts }")"
}

settled() { # layout
    sql -c "SELECT count(*) FROM ${1/narrow/public}.telegram_outbox_attempts WHERE outcome = 'delivered'"
}
