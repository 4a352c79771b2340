# Shared by the parts of run.sh. Speaks to the server of PGHOST/PGPORT/PGUSER, in a database of its own.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
migrations=$here/../../src/main/resources/db/migration
export PGOPTIONS="-c timezone=UTC -c client_min_messages=warning"

sql() { psql -qAtX -v ON_ERROR_STOP=1 "$@"; }

# A fresh database with the schema of the product and the bench's own helpers.
fresh() {
    PGDATABASE=$admin_database sql -c "DROP DATABASE IF EXISTS $PGDATABASE WITH (FORCE)" -c "CREATE DATABASE $PGDATABASE"
    sql -f "$migrations/V001__foundation.sql" -f "$migrations/V002__outbox.sql" -f "$here/sql/bench.sql"
}

record() { # section subject setting name value
    printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$results"
}

# Mean transactions a second of a pgbench script. Arguments: seconds, clients, script text, more pgbench options.
tps() {
    local seconds=$1 clients=$2 script=$3
    shift 3
    pgbench -n -M prepared -T "$seconds" -c "$clients" -j 1 -f <(printf '%s\n' "$script") "$@" 2>&1 \
        | awk '/^tps = / { print $3; found = 1 } { said = said $0 "\n" } END { if (!found) { printf "%s", said > "/dev/stderr"; exit 1 } }'
}

# CPU milliseconds that the server's ended sessions have used so far; nothing when the server is not ours to look at.
# On a busy machine this says more than the clock.
server_cpu() {
    [ -r "/proc/${BENCH_SERVER_PID:-none}/stat" ] || return 0
    awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); split($0, f, " "); print (f[14] + f[15]) * 1000 / hz }' "/proc/$BENCH_SERVER_PID/stat"
}
