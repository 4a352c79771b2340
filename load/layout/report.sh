#!/usr/bin/env bash
# Medians of a results file, a table a section. Argument: the file that run.sh wrote.
set -euo pipefail
sort -t$'\t' -k1,1 -k3,3 -k4,4 -k2,2 -k5,5n "$1" | awk -F'\t' '
    function flush(  m) {
        if (n == 0) return
        m = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
        row[section, what, subject] = m
        if (!((section, subject) in seen)) { seen[section, subject] = 1; subjects[section] = subjects[section] "\t" subject }
        if (!((section, what) in known)) { known[section, what] = 1; whats[section] = whats[section] "\t" what }
    }
    {
        key = $1 FS $3 FS $4 FS $2
        if (key != last) { flush(); n = 0; last = key }
        section = $1; subject = $2; what = ($3 == "" ? "" : $3 ": ") $4
        v[++n] = $5; sections[$1] = 1
    }
    END {
        flush()
        for (s in sections) {
            ns = split(substr(subjects[s], 2), subj, "\t"); nw = split(substr(whats[s], 2), w, "\t")
            printf "\n## %s\n\n| |", s
            for (i = 1; i <= ns; i++) printf " %s |", subj[i]
            printf "\n|---|"
            for (i = 1; i <= ns; i++) printf "---:|"
            print ""
            for (j = 1; j <= nw; j++) {
                printf "| %s |", w[j]
                for (i = 1; i <= ns; i++) { k = s SUBSEP w[j] SUBSEP subj[i]; printf " %s |", (k in row) ? row[k] : "" }
                print ""
            }
        }
    }'
