#!/bin/sh
# The examples, built against the installed library with pkg-config, run and say what they should.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cmake --install "$BUILD_DIR" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name liborff.a)")
export PKG_CONFIG_PATH="$libdir/pkgconfig"
cd "$work"

# run <example> <pattern> <least> <most>: prints a line in which a number from least to most follows the basic pattern; the
# first such line counts.
run() {
    # shellcheck disable=SC2046  # the words of pkg-config are separate arguments
    $CC -std=c11 -Wall -Wextra -o "$1" "$SOURCE_DIR/examples/$1.c" $(pkg-config --cflags --libs orff) -lm
    LD_LIBRARY_PATH="$libdir" "./$1" >"$1.out"
    found=$(sed -n "s/^.*$2 *\([-0-9.e+]*\).*/\1/p" "$1.out" | head -n 1)
    awk -v found="$found" -v least="$3" -v most="$4" 'BEGIN { exit !(found != "" && found + 0 >= least && found + 0 <= most) }' || {
        echo "$1: \"$found\" after \"$2\" is not from $3 to $4:" >&2
        cat "$1.out" >&2
        exit 1
    }
}

run fit_and_predict 'distance to the function without noise:' 0 0.03
run custom_kernel 'largest error' 0 1e-5
run streaming 'without the bad day: *10000 rows: f(1\.0) =' 0.82 0.86 # sin 1 = 0.841
run vector_field '0\.7 0\.0 .* +- [0-9.]* .* +- [0-9.]*' -1e-12 1e-12 # the divergence
