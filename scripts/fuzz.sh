#!/bin/sh
# Builds the fuzz targets with libFuzzer and the sanitizers and runs each for a while on its seeds.
#
#   FUZZ_SECONDS=60 scripts/fuzz.sh [target ..]            all targets: tests/fuzz_*.c without "fuzz_"
#
# Inputs that reach new code are kept in build/fuzz/corpus and used again by the next run; scripts/fuzz_keep.sh copies
# the best of them to tests/corpus. An input that crashes, hangs or leaks is kept in build/fuzz/crashes, and the exit
# status is then 1.
set -u
cd "$(dirname "$0")/.." || exit 1

seconds=${FUZZ_SECONDS:-60}
case $seconds in
'' | *[!0-9]* | 0)
    echo "FUZZ_SECONDS is \"$seconds\"; it must be a whole number of seconds above 0" >&2
    exit 2
    ;;
esac
build=build/fuzz
all=$(find tests -name 'fuzz_*.c' ! -name fuzz_replay.c | sed 's|.*/fuzz_\(.*\)\.c|\1|' | sort | tr '\n' ' ')
# shellcheck disable=SC2086  # words
[ $# -gt 0 ] || set -- $all
targets=
for name; do
    [ -f "tests/fuzz_$name.c" ] || {
        echo "there is no target \"$name\"; there are $all" >&2
        exit 2
    }
    targets="$targets fuzz_$name fuzz_${name}_seeds"
done

mkdir -p "$build/crashes"
echo "== building in $build"
# shellcheck disable=SC2086  # words
if ! cmake -S . -B "$build" -DCMAKE_C_COMPILER=clang -DORFF_SANITIZE=ON -DORFF_FUZZ=ON -DORFF_TESTS=ON >"$build.log" 2>&1 ||
    ! cmake --build "$build" -j "$(getconf _NPROCESSORS_ONLN)" --target $targets >>"$build.log" 2>&1; then
    cat "$build.log"
    echo "== the build in $build FAILED" >&2
    exit 1
fi

export OMP_NUM_THREADS=1 UBSAN_OPTIONS=print_stacktrace=1
bad=0
for name; do
    seeds=$build/seeds/$name corpus=$build/corpus/$name log=$build/$name.log
    rm -rf "$seeds"
    kept=
    [ ! -d "tests/corpus/$name" ] || kept=tests/corpus/$name
    mkdir -p "$seeds" "$corpus"
    ORFF_FUZZ_SEEDS=$seeds "$build/tests/fuzz_${name}_seeds" || exit 1
    # shellcheck disable=SC2086  # none or one
    "$build/tests/fuzz_$name" -max_total_time="$seconds" -max_len=16384 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/crashes/$name-" "$corpus" "$seeds" $kept >"$log" 2>&1
    status=$?
    if [ "$status" -ne 0 ]; then
        tail -n 40 "$log"
        echo "== $name FAILED; the input: $(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
        echo "   again: $build/tests/fuzz_$name INPUT"
        bad=$((bad + 1))
    else
        echo "== $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s," \
            "$(find "$corpus" -type f | wc -l) kept, nothing found"
    fi
done
[ "$bad" -eq 0 ] || echo "$bad of $# targets failed; whole outputs are in $build/*.log" >&2
[ "$bad" -eq 0 ]
