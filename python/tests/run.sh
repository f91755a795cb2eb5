#!/bin/sh
# run.sh <python> <files | doctest> [words]: files of tests, with blanks between them, those that pytest -k chooses by the words, or the
# examples in the docstrings. Exits with 77 where something they need is not there.
set -u
python=$1
what=$2
only=${3:-}
cd "$(dirname "$0")/.." || exit 1
export PYTHONDONTWRITEBYTECODE=1

command -v "$python" >/dev/null || {
    echo "skipped: there is no $python (scripts/setup.sh python makes build/venv where PyPI can be reached)"
    exit 77
}
missing=$("$python" -c '
import importlib.util
names = ("cffi", "numpy", "scipy", "sklearn", "pandas", "pytest")
print(*(name for name in names if importlib.util.find_spec(name) is None))') || exit 1
if [ -n "$missing" ]; then
    echo "skipped: $python has no $missing (scripts/setup.sh python installs them on Debian)"
    exit 77
fi

if [ "$what" = doctest ]; then
    set -- --doctest-modules orff
    "$python" -c 'import xarray' 2>/dev/null || {
        echo "skipped: the example of fit_field, for $python has no xarray"
        set -- "$@" --ignore orff/_xarray.py
    }
    "$python" -c 'import matplotlib' 2>/dev/null || {
        echo "$python has no matplotlib: the examples of pictures are left out"
        set -- "$@" --ignore=orff/_plots.py
    }
    "$python" -c 'import dask.array' 2>/dev/null || {
        echo "$python has no dask: the examples of orff.dask are left out"
        set -- "$@" --ignore=orff/dask.py --ignore=orff/_dask_rows.py
    }
else
    # shellcheck disable=SC2086  # words
    set -- $what
fi
status=0
"$python" -m pytest -q -rs -p no:cacheprovider -k "$only" "$@" || status=$?
[ $status -ne 5 ] || status=77 # everything was skipped
exit $status
