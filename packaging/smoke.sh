#!/bin/sh
# An installed program works: its version, a fit, predictions with error bars, a page. Nothing is judged but that they are there.
#
#   packaging/smoke.sh PROGRAM VERSION WINDS.csv
set -eu

case $1 in */*) orff=$(readlink -f "$1") ;; *) orff=$1 ;; esac
version=$2 winds=$(readlink -f "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "smoke: $*" >&2; exit 1; }

"$orff" --version | grep -qx "orff $version" || fail "the program says $("$orff" --version | head -n 1), expected orff $version"

"$orff" fit "$winds" --inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat --kernel helmholtz --sigma 800 -q -o wind.orff
"$orff" predict wind.orff "$winds" --std -o values.csv -q
[ "$(wc -l <values.csv)" -eq "$(wc -l <"$winds")" ] || fail "predictions have $(wc -l <values.csv) lines"
! grep -qi nan values.csv || fail "predictions have NaN"
"$orff" view wind.orff -o wind.html -q
grep -q '</html>' wind.html || fail "no page"
"$orff" info wind.orff | grep -qi helmholtz || fail "info does not know the kernel"
