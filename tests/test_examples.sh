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

# run <example> <pattern that its output must match>
run() {
    # shellcheck disable=SC2046  # the words of pkg-config are separate arguments
    $CC -std=c11 -Wall -Wextra -o "$1" "$SOURCE_DIR/examples/$1.c" $(pkg-config --cflags --libs orff) -lm
    LD_LIBRARY_PATH="$libdir" "./$1" >"$1.out"
    grep -Eq "$2" "$1.out" || { echo "$1 printed:" >&2; cat "$1.out" >&2; exit 1; }
}

run fit_and_predict 'distance to the function without noise: 0\.0[0-2]'
run custom_kernel 'largest error [0-9.]+e-0[6-9]'
run streaming 'without the bad day: +10000 rows: f\(1\.0\) = +0\.8[34]'
run vector_field '0\.7 0\.0 .* -?[0-9.]+e-1[4-9] '
