#!/bin/sh
# What is installed can be used: a small program is built against it with pkg-config (shared and static) and with
# find_package (both), and runs.
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
want=$(cat "$SOURCE_DIR/VERSION")

cmake --install "$BUILD_DIR" --prefix "$prefix" >/dev/null
libdir=$(dirname "$(find "$prefix" -name liborff.a)")
for file in "$prefix/include/orff.h" "$libdir/liborff.so" "$libdir/pkgconfig/orff.pc" \
    "$libdir/cmake/orff/orff-config.cmake"; do
    [ -e "$file" ] || { echo "$file was not installed" >&2; exit 1; }
done

cat >"$work/use.c" <<'END'
#include <orff.h>
#include <stdio.h>

int main(void) {
    const double x[2] = {0.5, -1.0};
    const orff_part part = orff_part_default();
    double K[4] = {0};
    orff_kernel *kernel = NULL;
    if (orff_kernel_create(&kernel, 2, 2, 1, &part) || orff_kernel_eval(kernel, x, x, K)) return 1;
    orff_kernel_free(kernel);
    printf("%s %g %g %g %g\n", orff_version(), K[0], K[1], K[2], K[3]);
    return 0;
}
END

# expect_run <what> <program> [library path]: it prints the version of VERSION and K(x,x) = I.
expect_run() {
    got=$(LD_LIBRARY_PATH="${3:-}" "$2")
    [ "$got" = "$want 1 0 0 1" ] || { echo "$1: printed \"$got\"" >&2; exit 1; }
}

export PKG_CONFIG_PATH="$libdir/pkgconfig"
# shellcheck disable=SC2046  # the words of pkg-config are separate arguments
$CC -o "$work/by_pkg_config" "$work/use.c" $(pkg-config --cflags --libs orff)
expect_run "pkg-config" "$work/by_pkg_config" "$libdir"

# The tour of the README, as it stands there: no warnings, and the noise that it was made with.
sed -n '/^```c$/,/^```$/p' "$SOURCE_DIR/README.md" | sed '/^```/d' >"$work/tour.c"
# shellcheck disable=SC2046
$CC -Wall -Wextra -Werror -o "$work/tour" "$work/tour.c" $(pkg-config --cflags --libs orff) -lm
LD_LIBRARY_PATH="$libdir" "$work/tour" >"$work/toured"
awk '/^noise/ { exit !($2 > 0.1 && $2 < 0.13) }' "$work/toured" || { cat "$work/toured" >&2; exit 1; }

mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(use C)
find_package(orff REQUIRED)
add_executable(by_cmake ../use.c)
target_link_libraries(by_cmake PRIVATE orff::orff)
add_executable(by_cmake_static ../use.c)
target_link_libraries(by_cmake_static PRIVATE orff::orff_static)
END
cmake -S "$work/project" -B "$work/project/build" -DCMAKE_C_COMPILER="$CC" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/project/build" >/dev/null
expect_run "find_package" "$work/project/build/by_cmake"
expect_run "find_package, static" "$work/project/build/by_cmake_static"

rm "$libdir"/liborff.so*
# shellcheck disable=SC2046
$CC -o "$work/by_pkg_config_static" "$work/use.c" $(pkg-config --static --cflags --libs orff)
expect_run "pkg-config, static" "$work/by_pkg_config_static"
