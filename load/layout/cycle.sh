# The cycle: enqueue 100, then claim 100, start, settle as often as that takes: once with 1,000 keys, ten times with 10.
since="date_trunc('day', now(), 'UTC') - interval '1 day'"

cycle_script() { # layout keys
    local layout=$1 keys=$2 rounds=1 i
    [ "$keys" -ge 100 ] || rounds=$((100 / keys))
    echo "SELECT $layout.enqueue(100, $keys);"
    for i in $(seq "$rounds"); do
        echo "SELECT ids, created, tokens, payloads FROM $layout.claim(100, $since) \\gset"
        echo "SELECT $layout.start(:ids, :created, :tokens);"
        echo "SELECT $layout.settle(:ids, :created, :tokens);"
    done
}

# Tables with days, history and a small backlog, so that a claim of 100 finds 100 heads.
# fill may be given for each of outbox and attempts.
set_up() { # first last fill_outbox fill_attempts vacuum history_rows
    fresh
    sql -f "$here/sql/narrow.sql" -f "$here/sql/wide.sql" -f "$here/sql/wide_turn.sql"
    sql >/dev/null <<SQL
SELECT bench.make_days(t, $1, $2, $3, $5) FROM unnest('{telegram_outbox,wide.telegram_outbox,wide_turn.telegram_outbox}'::regclass[]) t;
SELECT bench.make_days(t, $1, $2, $4, $5) FROM unnest('{telegram_outbox_attempts,wide.telegram_outbox_attempts,wide_turn.telegram_outbox_attempts}'::regclass[]) t;
SELECT bench.history(t, $((1 - $1)), $6) FROM unnest('{telegram_outbox,wide.telegram_outbox,wide_turn.telegram_outbox}'::regclass[]) t;
SELECT bench.make_keys(1000);
SQL
    if [ "$5" = false ]; then sql -c 'ALTER TABLE telegram_outbox_inflight SET (autovacuum_enabled = false)'; fi
}

# A backlog under every layout, and statistics as autovacuum would have left them.
backlogs() { # keys parts
    local layout
    for layout in $layouts; do
        sql -c "SELECT $layout.enqueue(100, $1) FROM generate_series(1, $2 / 100)" >/dev/null
    done
    sql -c 'VACUUM ANALYZE'
}

# Runs a script so many times, and waits until the server has the session's statistics.
cycles() {
    pgbench -n -M prepared -t "$1" -c 1 -f <(printf '%s\n' "$2") >/dev/null 2>&1
    while [ "$(sql -c "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'")" != 0 ]; do :; done
}
