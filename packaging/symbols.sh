#!/bin/sh
# Brings a Debian symbols file up to date: adds to it what a built library exports and it does not have, at this version.
#
#   packaging/symbols.sh [--anew] [library]       (build/release/liborff.so, the default, or build/release/mpi/liborff_mpi.so)
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
name=$(basename "$library" .so)
package=$(echo "$name" | tr _ -)
file=debian/$package$series.symbols
[ $anew = no ] || rm -f "$file"
[ -e "$file" ] || printf '%s.so.%s %s%s #MINVER#\n* Build-Depends-Package: %s-dev\n' "$name" "$series" "$package" "$series" "$package" >"$file"
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
