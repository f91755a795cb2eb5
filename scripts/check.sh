#!/bin/sh
# The complete check: the suite in a release build; the tests with the label sanitize (tests/CMakeLists.txt) under gcc's
# address and undefined-behaviour sanitizers; those that clang's memory sanitizer can run; all built without warnings;
# clang's warnings for every file; and static analysis. The last line is "N passed, N failed" (and ", N skipped"), over
# all runs of the suite; a build or an analysis that fails counts as one failure.
set -u
cd "$(dirname "$0")/.." || exit 1

jobs=$(getconf _NPROCESSORS_ONLN)
# With ccache, anything compiled before, in another folder or before "make clean", is not compiled again. Paths are
# hashed relative to the project's directory, so this also holds for the archive that a test unpacks elsewhere.
command -v ccache >/dev/null 2>&1 && export CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
passed=0 failed=0 skipped=0

# make_build <directory> <jobs> <cmake options>: configure and build without warnings; the log is <directory>.log.
make_build() {
    directory=$1 at_once=$2
    shift 2
    cmake -S . -B "$directory" -DORFF_WERROR=ON -DORFF_TESTS=ON "$@" >"$directory.log" 2>&1 &&
        cmake --build "$directory" -j "$at_once" >>"$directory.log" 2>&1
}

# Nothing built by clang would be run, so clang only reports its warnings without producing files.
look_with_clang() {
    cmake -S . -B build/clang -DORFF_WERROR=ON -DORFF_TESTS=ON -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >build/clang.log 2>&1 && python3 scripts/syntax.py build/clang 1 >>build/clang.log 2>&1
}

# Later builds run beside the tests of the first one, on cores that no test uses. Each leaves its status in
# <directory>.status.
make_the_others() {
    make_build build/sanitize 1 -DORFF_SANITIZE=ON
    echo $? >build/sanitize.status
    command -v clang >/dev/null 2>&1 || return 0
    make_build build/memory 1 -DCMAKE_C_COMPILER=clang -DORFF_SANITIZE=memory -DORFF_SLEEF=OFF
    echo $? >build/memory.status
    look_with_clang
    echo $? >build/clang.status
}

# built <directory>: waits for a build and returns whether it succeeded.
built() {
    echo "== building in $1"
    while [ ! -s "$1.status" ] && kill -0 "$others" 2>/dev/null; do sleep 1; done
    [ "$(cat "$1.status" 2>/dev/null)" != 0 ] || return 0
    cat "$1.log"
    echo "== the build in $1 FAILED"
    failed=$((failed + 1))
    return 1
}

# attribute <name> <junit file>: prints a count for the whole suite.
attribute() {
    sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1
}

# suite <directory>: runs ctest and adds up its counts. A run without counts is a failure.
suite() {
    report=$1/report.xml
    rm -f "$report"
    echo "== testing in $1"
    ctest --test-dir "$1" -j "$jobs" --output-on-failure --no-tests=error --output-junit report.xml
    ended=$?
    tests=$(attribute tests "$report") bad=$(attribute failures "$report")
    left=$(attribute skipped "$report") off=$(attribute disabled "$report")
    if [ -z "$tests" ] || [ -z "$bad" ] || [ -z "$left" ] || [ -z "$off" ]; then
        tests=1 bad=1 left=0 off=0
    elif [ "$ended" -ne 0 ] && [ "$bad" -eq 0 ]; then
        tests=$((tests + 1)) bad=1
    fi
    passed=$((passed + tests - bad - left - off))
    failed=$((failed + bad))
    skipped=$((skipped + left + off))
    tell_left_out "$1"
}

# tell_left_out <directory>: prints what the last run of its suite skipped, and why: whole tests, and single cases of
# the cmocka programs and of pytest.
tell_left_out() {
    found=$(grep -hE '^skipped: |^\[  SKIPPED \] [a-z]|^SKIPPED \[' "$1/Testing/Temporary/LastTest.log" | sort -u)
    [ -z "$found" ] || printf '== left out in %s:\n%s\n' "$1" "$found"
}

mkdir -p build
rm -f build/*.status
make_build build/release "$jobs" -DCMAKE_BUILD_TYPE=RelWithDebInfo
echo $? >build/release.status
make_the_others &
others=$!
trap 'kill "$others" 2>/dev/null' EXIT
built build/release && suite build/release
built build/sanitize && suite build/sanitize
if command -v clang >/dev/null 2>&1; then
    built build/memory && suite build/memory
    built build/clang
else
    echo "== no clang here: the memory sanitizer and the warnings of clang are left out"
fi
if command -v cppcheck >/dev/null 2>&1; then
    echo "== static analysis"
    if scripts/lint.sh; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
else
    echo "== no cppcheck here: static analysis is left out"
fi

if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
