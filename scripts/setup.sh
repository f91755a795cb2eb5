#!/bin/sh
# Installs the missing Debian packages for building, checking or benchmarking. For check and python it also creates
# build/venv, a plain virtual environment with the newest numpy and scikit-learn from PyPI, if PyPI can be reached; for
# report build/peers-venv, with the PyPI packages that the report on real data compares with.
#
#   scripts/setup.sh [build | mpi | check | fuzz | bench | report | python | docs | wheel | deb | r | format]
#
# If nothing is missing it does nothing, quickly. Without apt-get it only says what is needed, and cmake looks for it.
set -eu

purpose=${1:-build}
wanted="build-essential cmake pkg-config libopenblas-openmp-dev liblapacke-dev libsleef-dev libfftw3-dev
    zlib1g-dev liblzma-dev xz-utils libnetcdf-dev libproj-dev libcmocka-dev libjansson-dev gnuplot-nox"
mpi="openmpi-bin libopenmpi-dev libscalapack-openmpi-dev"
# What the Python package needs to run and install, and what its tests and examples use.
python="python3-cffi python3-numpy python3-scipy python3-sklearn python3-pip python3-venv python3-setuptools
    python3-wheel python3-pandas python3-pytest python3-matplotlib python3-xarray python3-netcdf4
    python3-dask python3-distributed"
# What builds the documentation site.
site="python3-sphinx python3-myst-parser furo python3-sphinx-copybutton python3-numpydoc fonts-lmodern"
case $purpose in
build) ;;
mpi) wanted="$wanted $mpi" ;;
check) wanted="$wanted ccache clang cppcheck chromium zsh fish r-base-core shellcheck $mpi $python $site" ;;
fuzz) wanted="$wanted clang" ;;
python) wanted="$wanted $python" ;;
wheel) wanted="$wanted python3-pip python3-venv" ;;
deb) wanted="$wanted debhelper dh-python pybuild-plugin-pyproject python3-all python3-setuptools python3-wheel dpkg-dev fakeroot
    lintian mmdebstrap $mpi" ;;
r) wanted="$wanted r-base-core" ;;
bench) wanted="$wanted $mpi python3-cffi python3-numpy python3-scipy python3-sklearn python3-pandas python3-statsmodels" ;;
report) wanted="$wanted python3-numpy python3-scipy python3-sklearn python3-venv python3-pip python3-torch gmt" ;;
docs) wanted="$wanted $python $site" ;;
format) wanted="clang-format" ;;
*)
    echo "usage: scripts/setup.sh [build | mpi | check | fuzz | bench | report | python | docs | wheel | deb | r | format]" >&2
    exit 2
    ;;
esac

if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
    cat >&2 <<'END'
No apt-get here: packages are not installed by this script. orff needs a C11 compiler with OpenMP, CMake 3.25,
pkg-config, OpenBLAS (or BLIS, or any CBLAS), LAPACKE, zlib, FFTW; SLEEF makes it fast, netcdf-c reads NetCDF, liblzma .xz, PROJ knows projections; the
tests use cmocka, jansson and a headless Chromium, the check clang, the demo gnuplot, the benchmarks Python with numpy, scipy and
scikit-learn, the Python package also cffi, its tests pandas and pytest, those of orff.dask dask and distributed. MPI (Open MPI or MPICH) makes
orff-mpi, ScaLAPACK its matrices in pieces. The documentation is built by Sphinx with myst-parser, furo, sphinx-copybutton and numpydoc.
END
    exit 0
fi

# The packages in $wanted that are not installed. Clang's OpenMP header is in a package named after clang's version, so
# it is detected by using it.
missing_packages() {
    # shellcheck disable=SC2086  # a list of words
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
        awk '$2 == "installed" { print $1 }')
    for package in $wanted; do
        echo "$installed" | grep -qx "$package" || echo "$package"
    done
    case $purpose in check | fuzz)
        echo '#include <omp.h>' | clang -fopenmp -fsyntax-only -x c - 2>/dev/null || echo libomp-dev
        ;;
    esac
    # So do its libFuzzer and its sanitizers. Before clang is installed, its version is that of the package.
    case $purpose in check | fuzz) sanitizers_link || {
        version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p')
        echo "libclang-rt-${version:-14}-dev"
    } ;; esac
}

sanitizers_link() {
    program=$(mktemp)
    echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d != 0 && n > 9; }' |
        clang -fsanitize=fuzzer,address -x c - -o "$program" 2>/dev/null
    linked=$?
    rm -f "$program"
    return $linked
}

# The newest packages from PyPI, once for each list of them; "make clean" removes build/venv. Without them their tests
# are skipped. If the list has only grown, a working environment is kept.
newest="numpy scipy scikit-learn cffi pandas pytest xarray pyarrow dask distributed matplotlib"
make_newest() {
    case $purpose in check | python) ;; *) return 0 ;; esac
    place=$(dirname "$0")/../build/venv
    [ "$newest" != "$(cat "$place/complete" 2>/dev/null)" ] || return 0
    base=/usr/bin/python3
    [ -x $base ] || base=python3
    echo "Making build/venv with the newest $newest of PyPI"
    [ -e "$place/complete" ] || rm -rf "$place"
    mkdir -p "$(dirname "$place")"
    # shellcheck disable=SC2086  # a list of words
    if { [ -e "$place/complete" ] || $base -m venv "$place"; } && "$place/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 20 \
        --only-binary :all: $newest; then
        echo "$newest" >"$place/complete"
    else
        [ -e "$place/complete" ] || rm -rf "$place"
        echo "PyPI cannot be reached: Python tests that need packages which are not there are skipped" >&2
    fi
}

# What the report compares with and Debian lacks. Its environment uses Debian's packages, so that torch is the one
# without CUDA; PyPI's comes with gigabytes of it. The versions are the last that work with that torch. The report says
# which peers are missing.
make_peers() {
    [ "$purpose" = report ] || return 0
    place=$(dirname "$0")/../build/peers-venv
    [ ! -e "$place/complete" ] || return 0
    echo "Making build/peers-venv with Verde, GSTools and GPyTorch of PyPI"
    mkdir -p "$(dirname "$place")"
    /usr/bin/python3 -m venv --system-site-packages "$place"
    install="$place/bin/python -m pip install -q --disable-pip-version-check --retries 1 --timeout 20 --only-binary :all:"
    # shellcheck disable=SC2086  # a command in words
    if $install 'numpy<2' verde gstools &&
        $install --no-deps gpytorch==1.11 linear_operator==0.5.1 jaxtyping typeguard==2.13.3; then
        : >"$place/complete"
    else
        echo "PyPI cannot be reached: the report does without Verde, GSTools and GPyTorch" >&2
    fi
}

missing=$(missing_packages | tr '\n' ' ')
missing=${missing% }
[ -n "$missing" ] || {
    make_newest
    make_peers
    exit 0
}

if [ "$(id -u)" -eq 0 ]; then
    root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    root="sudo -n"
else
    echo "Packages are missing, and installing them needs root. Please run:" >&2
    echo "    sudo apt-get install --no-install-recommends $missing" >&2
    exit 1
fi

echo "Installing: $missing"
# A failing update is not fatal: the existing package lists may be good enough.
# shellcheck disable=SC2086  # lists of words
$root apt-get update -qq || echo "apt-get update failed; going on with the package lists there are" >&2
# shellcheck disable=SC2086
$root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing
make_newest
make_peers
