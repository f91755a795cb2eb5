#!/bin/sh
# Brings the Debian symbols file up to date: adds to it what a built library exports and it does not have, at this version.
#
#   packaging/symbols.sh [--anew] [liborff.so]       (default build/release/liborff.so)
#
# A symbol that has gone is not taken out: that is another interface, and asks for another minor version. Only before the first
# release of a minor version the list may be made --anew.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."

anew=no
[ "${1:-}" != --anew ] || { anew=yes && shift; }
library=${1:-build/release/liborff.so}
series=$(cut -d . -f 1-2 VERSION)
file=debian/liborff$series.symbols
[ $anew = no ] || rm -f "$file"
[ -e "$file" ] || printf 'liborff.so.%s liborff%s #MINVER#\n* Build-Depends-Package: liborff-dev\n' "$series" "$series" >"$file"
had=$(mktemp)
trap 'rm -f "$had"' EXIT
grep -o '^ [a-z0-9_]*@Base' "$file" | tr -d ' ' | sort >"$had"

nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $NF); print $NF "@Base" }' | sort | comm -13 "$had" - |
    sed "s/\$/ $(cat VERSION)/; s/^/ /" >>"$file"
{ grep -v '^ ' "$file"; grep '^ ' "$file" | sort; } >"$had"
cat "$had" >"$file"
nm -D --defined-only "$library" | awk '{ print $NF "@Base" }' | sort >"$had"
grep -o '^ [a-z0-9_]*@Base' "$file" | tr -d ' ' | sort | comm -23 - "$had" | sed 's/^/gone from the library, but of its interface: /'
echo "$file: $(grep -c '^ ' "$file") symbols"
