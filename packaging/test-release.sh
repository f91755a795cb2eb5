#!/bin/sh
# The release archive builds from itself, and what it builds becomes a wheel that stands alone. In seconds: it is compiled as
# the build in BUILD_DIR where that one was compiled through ccache, which then has it all, and not optimised elsewhere; and the
# packages of PyPI are those of build/venv. Without git (as in an unpacked archive) it is left out; without PyPI's tools, the
# wheel is.
set -eu
cd "$(dirname "$0")/.."

git rev-parse --verify -q HEAD >/dev/null 2>&1 || { echo "skipped: this is no checkout of git, no archive is made"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
archive=$(scripts/dist.sh "$place" 2>/dev/null)
set -- -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0
cache=${BUILD_DIR:-build/release}/CMakeCache.txt
if grep -q '^CMAKE_C_COMPILER_LAUNCHER:.*ccache$' "$cache" 2>/dev/null; then
    set -- -DCMAKE_C_COMPILER_LAUNCHER=ccache "-DCMAKE_BUILD_TYPE=$(sed -n 's/^CMAKE_BUILD_TYPE:[A-Z]*=//p' "$cache")" \
        "-DORFF_WERROR=$(sed -n 's/^ORFF_WERROR:[A-Z]*=//p' "$cache")"
fi
KEEP="$place/library" packaging/test-dist.sh "$archive" -DORFF_PROJ=OFF "$@"

if [ ! -x build/venv/bin/python ]; then
    echo "skipped: there is no build/venv with packages of PyPI, no wheel is made"
    exit 0
fi
LIBRARY="$place/library/liborff.so" NEWEST=build/venv/bin/python packaging/wheel.sh "$place/python" || {
    [ $? -eq 77 ] || exit 1
}
