#!/bin/sh
# site/build.sh BUILD OUT: the site in OUT, from the sources, and from the program and the library in BUILD where they are there.
# Warnings are errors: a link that leads nowhere ends it. TUTORIALS=no in the environment does not run the tutorials.
set -eu
build=$1
out=$2
mkdir -p "$out"
out=$(cd "$out" && pwd)
build=$(cd "$build" && pwd)
cd "$(dirname "$0")/.."
python=/usr/bin/python3
[ -x $python ] || python=python3

set -- "$out-source"
[ ! -x "$build/cli/orff" ] || set -- "$@" --program "$build/cli/orff"
if [ -e "$build/liborff.so" ]; then
    export ORFF_LIBRARY="$build/liborff.so"
    set -- "$@" --library "$ORFF_LIBRARY"
fi
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/python"
$python site/assemble.py "$@"
$python -m sphinx -q -W --keep-going -c site "$out-source" "$out"
echo "The site is $out/index.html"
