#!/bin/sh
# Run it after scripts/fuzz.sh: chooses a few small inputs from the corpus of each target that reach different code, and
# copies them to tests/corpus, from where every check runs them again.
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
    # Sorts by size, because small inputs are the easiest to understand, and takes every n-th, so that large ones are
    # included.
    find "$chosen" -type f -size -${largest}c -printf '%s %p\n' | sort -n | awk -v most=$most '
        { path[NR] = $2 }
        END { step = NR > most ? NR / most : 1; for (i = 1; i <= NR; i += step) print path[int(i)] }' |
        while read -r path; do cp "$path" "tests/corpus/$name/"; done
    rm -rf "$chosen"
    echo "$name: $(ls "tests/corpus/$name" | wc -l) kept"
done
