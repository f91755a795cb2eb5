#!/bin/sh
# A release archive builds from itself: unpacked elsewhere, configured, built, installed, and what is installed works.
#
#   packaging/test-dist.sh ARCHIVE [options of cmake ..]
#
# KEEP=directory keeps the libraries that were built there.
set -eu

archive=$(readlink -f "$1")
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Compiled before under another path is compiled before.
export CCACHE_BASEDIR="$work" CCACHE_NOHASHDIR=1

tar -xzf "$archive" -C "$work"
tree=$(echo "$work"/orff-*)
version=$(cat "$tree/VERSION")
[ "$tree" = "$work/orff-$version" ] || { echo "the archive unpacks to $(basename "$tree"), not to orff-$version" >&2; exit 1; }
[ ! -e "$tree/.git" ] || { echo "the archive has a .git" >&2; exit 1; }

cd "$tree"
run() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }; }
run cmake -S . -B build/release -DORFF_TESTS=OFF -DORFF_MPI=OFF "$@"
run cmake --build build/release --parallel "$(getconf _NPROCESSORS_ONLN)" --target orff orff_static orff_program orff_documents
run cmake --install build/release --prefix "$work/prefix"
sh "$tree/packaging/smoke.sh" "$work/prefix/bin/orff" "$version" "$tree/examples/data/coads_january_atlantic.csv"
if [ -n "${KEEP:-}" ]; then
    mkdir -p "$KEEP"
    cp -L build/release/liborff.so "$KEEP"
fi
echo "orff-$version.tar.gz builds from itself"
