#!/bin/sh
# After scripts/fuzz.sh: chooses from its corpora, for each target, a few small inputs that reach different code, and puts
# them in tests/corpus, where every check tries them again.
#
#   scripts/fuzz_keep.sh [target ..]
set -eu
cd "$(dirname "$0")/.."
build=build/fuzz most=40 largest=4096
[ $# -gt 0 ] || set -- $(ls "$build/corpus")
for name; do
    chosen=$(mktemp -d)
    "$build/tests/fuzz_$name" -merge=1 -max_len=$largest "$chosen" "$build/corpus/$name" >/dev/null 2>&1
    rm -rf "tests/corpus/$name"
    mkdir -p "tests/corpus/$name"
    # The smallest are the easiest to understand; every n-th of them by size, so that large ones are among them.
    find "$chosen" -type f -size -${largest}c -printf '%s %p\n' | sort -n | awk -v most=$most '
        { path[NR] = $2 }
        END { step = NR > most ? NR / most : 1; for (i = 1; i <= NR; i += step) print path[int(i)] }' |
        while read -r path; do cp "$path" "tests/corpus/$name/"; done
    rm -rf "$chosen"
    echo "$name: $(ls "tests/corpus/$name" | wc -l) kept"
done
