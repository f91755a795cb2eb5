#!/bin/sh
# The release archive builds from itself, and what it builds becomes a wheel that stands alone. In seconds: nothing is optimised,
# and the packages of PyPI are those of build/venv. Without git (as in an unpacked archive) it is left out; without PyPI's tools,
# the wheel is.
set -eu
cd "$(dirname "$0")/.."

git rev-parse --verify -q HEAD >/dev/null 2>&1 || { echo "skipped: this is no checkout of git, no archive is made"; exit 77; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
archive=$(scripts/dist.sh "$place" 2>/dev/null)
KEEP="$place/library" packaging/test-dist.sh "$archive" -DORFF_PROJ=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0

if [ ! -x build/venv/bin/python ]; then
    echo "skipped: there is no build/venv with packages of PyPI, no wheel is made"
    exit 0
fi
LIBRARY="$place/library/liborff.so" NEWEST=build/venv/bin/python packaging/wheel.sh "$place/python" || {
    [ $? -eq 77 ] || exit 1
}
