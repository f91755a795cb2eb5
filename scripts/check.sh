#!/bin/sh
# The whole check: the suite in a release build and under the sanitizers, what can run under the memory sanitizer, a build
# with clang, all without warnings; and static analysis. Ends with one line, "N passed, N failed" (and ", N skipped"), over
# all runs of the suite; a build or an analysis that fails counts as one failure.
set -u
cd "$(dirname "$0")/.." || exit 1

jobs=$(getconf _NPROCESSORS_ONLN)
passed=0 failed=0 skipped=0

# build <directory> <cmake options>: configure and build without warnings.
build() {
    directory=$1
    shift
    echo "== building in $directory"
    if cmake -S . -B "$directory" -DORFF_WERROR=ON -DORFF_TESTS=ON "$@" >"$directory.log" 2>&1 &&
        cmake --build "$directory" -j "$jobs" >>"$directory.log" 2>&1; then
        return 0
    fi
    cat "$directory.log"
    echo "== the build in $directory FAILED"
    failed=$((failed + 1))
    return 1
}

# attribute <name> <junit file>: a count of the whole suite.
attribute() {
    sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$2" | head -n 1
}

# suite <directory>: run ctest and add up its counts. A run that leaves no counts is a failure.
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
}

mkdir -p build
build build/release -DCMAKE_BUILD_TYPE=RelWithDebInfo && suite build/release
build build/sanitize -DORFF_SANITIZE=ON && suite build/sanitize
if command -v clang >/dev/null 2>&1; then
    build build/clang -DCMAKE_C_COMPILER=clang
    build build/memory -DCMAKE_C_COMPILER=clang -DORFF_SANITIZE=memory -DORFF_SLEEF=OFF && suite build/memory
else
    echo "== no clang here: the build with clang and the memory sanitizer are left out"
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
