# What a part writes: WAL, dead row versions, growth, HOT share; with autovacuum off, at three fill factors.
writes_section() {
    local fill attempts layout
    for fill in ${writes_fills:-100 70 50}; do
        set_up -7 7 "$fill" "$fill" false 1000
        backlogs 1000 4000
        for layout in $layouts; do writes_one "$layout" "$fill"; done
    done
}

writes_one() { # layout fillfactor
    local layout=$1 fill=$2 script
    script=$(cycle_script "$layout" 1000)
    # A warm-up after the checkpoint, so that most full-page images are behind us.
    sql -c CHECKPOINT
    cycles 20 "$script"
    sql -c 'TRUNCATE bench.before' -c 'INSERT INTO bench.before SELECT * FROM bench.counters'
    cycles "$writes_cycles" "$script"
    sql -F "$(printf '\t')" -c "SELECT * FROM bench.costs('$layout', $writes_cycles * 100)" | while IFS=$'\t' read -r name value; do
        record writes "$layout" "fillfactor $fill" "$name" "$value"
    done
}
