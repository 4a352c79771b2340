# One key with many parts waiting in front of everybody else's: the pages that a claim of 100 touches (OUT-14).
skew_section() {
    local layout
    set_up 0 0 "$fill" "$fill" false 100
    for layout in $layouts; do
        sql -c "SELECT $layout.enqueue(100, 1) FROM generate_series(1, $skew_parts / 100)"
    done
    backlogs 1000 4000
    for layout in $layouts; do
        record skew "$layout" "$skew_parts parts on the first key" 'buffers of a claim of 100' "$(claim_buffers "$layout" "$since")"
    done
}
