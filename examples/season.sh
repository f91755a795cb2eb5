#!/bin/sh
# Winds of the Arabian Sea by place and month, the year as a circle and as a line: each month in turn is left out, learned
# from the other eleven, and compared with what ships reported. docs/kernels.md has the table.
#
#   examples/season.sh ORFF [MONTH ...]      (the program; all months unless some are named)
set -eu

[ $# -ge 1 ] || { echo "usage: examples/season.sh ORFF [MONTH ...]" >&2; exit 2; }
orff=$1
shift
[ $# -gt 0 ] || set -- 1 2 3 4 5 6 7 8 9 10 11 12
rows=$(dirname "$0")/data/coads_arabian_sea.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The error of all components, m/s, of the month in left.csv; options of the fit follow.
error() {
    "$orff" fit "$work/others.csv" --geo lonlat --inputs lon_deg,lat_deg,month --outputs u_ms,v_ms --covariates month \
        --quiet "$@" -o "$work/winds.orff" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    "$orff" evaluate "$work/winds.orff" "$work/left.csv" 2>/dev/null | awk '$1 == "all" { print $2 }'
}

echo "month  line  circle   (root mean square error, m/s)"
for month; do
    awk -F, -v m="$month" 'NR == 1 || $1 == m' "$rows" >"$work/left.csv"
    awk -F, -v m="$month" 'NR == 1 || $1 != m' "$rows" >"$work/others.csv"
    line=$(error)
    circle=$(error --period month=12)
    echo "$month $line $circle"
done | awk '{ printf "%5d %5.2f %7.2f\n", $1, $2, $3; line += $2 * $2; circle += $3 * $3 }
    END { printf "  all %5.2f %7.2f\n", sqrt(line / NR), sqrt(circle / NR) }'
