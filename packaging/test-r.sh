#!/bin/sh
# The R package, over the library of a build: R CMD build, then R CMD check, which installs it, runs its examples and tests and
# compares its documents with its code. Without the manual in PDF, which needs TeX, and without the network.
#
#   packaging/test-r.sh [build directory]      (default build/release)
set -eu
cd "$(dirname "$0")/.."

build=$(readlink -f "${1:-build/release}")
command -v R >/dev/null || { echo "skipped: there is no R here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(cat VERSION)
grep -qx "Version: $version" r/DESCRIPTION || { echo "r/DESCRIPTION is not of version $version" >&2; exit 1; }

cmake --install "$build" --prefix "$work/prefix" >/dev/null
cp -r r "$work/orff"
mkdir "$work/examples"
cp -r examples/data "$work/examples"
cd "$work"
export ORFF_PREFIX="$work/prefix" _R_CHECK_CRAN_INCOMING_=false _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_SYSTEM_CLOCK_=false
R CMD build orff >log 2>&1 || { cat log >&2; exit 1; }
R CMD check --no-manual "orff_$version.tar.gz" >log 2>&1 || { cat log orff.Rcheck/00install.out orff.Rcheck/tests/*.fail >&2 2>/dev/null; exit 1; }
grep -E '^Status|WARNING|NOTE' log || :
! grep -qE '^Status:.*(ERROR|WARNING)' log || { cat log >&2; exit 1; }

# The example of its README, with the package that the check has installed.
sed -n '/^```r$/,/^```$/p' orff/README.md | sed '/^```/d' >readme.R
R_LIBS="$work/orff.Rcheck" Rscript readme.R >log 2>&1 || { cat log >&2; exit 1; }
[ -s wind.orff ] || { cat log >&2; exit 1; }
"$build/cli/orff" info wind.orff | grep -q u_ms || { echo "the program does not know the names of the columns that R saved" >&2; exit 1; }
