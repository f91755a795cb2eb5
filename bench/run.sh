#!/bin/sh
# Runs the benchmarks of a build and writes their tables to bench/results/.
#
#   bench/run.sh BUILD_DIR
set -eu

if [ $# -ne 1 ] || [ ! -x "$1/bench/bench_phi" ]; then
    echo "usage: bench/run.sh BUILD_DIR   (a build of orff, with SLEEF)" >&2
    exit 2
fi
here=$(dirname "$0")
bench=$1/bench
results=$here/results
python=${PYTHON:-/usr/bin/python3}
inputs="2 4 20 100 784"
mkdir -p "$results"

# Percentage of the machine that was at work in the last second.
busy() {
    { head -n 1 /proc/stat && sleep 1 && head -n 1 /proc/stat; } |
        awk '{ idle[NR] = $5 + $6; for (i = 2; i <= 9; i++) all[NR] += $i }
             END { printf "%d", 100 * (1 - (idle[2] - idle[1]) / (all[2] - all[1])) }'
}

# Others may be using the machine: wait for them to pause, a minute at most.
wait_for_quiet() {
    for _ in $(seq 60); do
        [ "$(busy)" -gt 8 ] || return 0
    done
}

# measure THREADS PRECISION INPUTS: a line of bench_phi. When the spread says that others came in between, once more.
measure() {
    for _ in 1 2 3; do
        wait_for_quiet
        line=$("$bench/bench_phi" "$1" "$2" "$3")
        if echo "$line" | awk '{ exit !($3 <= 0.15 * $2) }'; then break; fi
    done
    echo "$line"
}

numpy_time() {
    threads=$1
    [ "$threads" -ne 0 ] || threads=$(getconf _NPROCESSORS_ONLN)
    OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads "$python" "$here/numpy_phi.py" "$2" "$3"
}

# case_row THREADS PRECISION INPUTS: one row of the table. The fields of bench_phi stand above its print_line.
case_row() {
    numbers=$(measure "$1" "$2" "$3")
    numpy=$(numpy_time "$1" "$2" "$3" 2>/dev/null || echo 0)
    echo "$numbers $numpy" | awk -v d="$3" '{
        if ($3 > 0.15 * $2) d = d " \\*"
        printf "| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f | ", d, $6, $1, $2, $3, $4, $5, $7, $8
        if ($11 > 0) printf "%.1f", $11 / $2; else printf "-"
        printf " | %.1f %% of %.0f |\n", 100 * $9, $10 }'
}

table() {
    printf '\n## %s, %s\n\n' "$3" "$2"
    echo '| d | phi, M pairs/s | min, ms | median, ms | spread, ms | GEMM, ms | SLEEF, ms | phi / (GEMM + SLEEF) | over libm | over numpy | of GEMM rate, GFLOP/s |'
    echo '|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|'
    for d in $inputs; do
        echo "phi: $3, $2 precision, d = $d" >&2
        case_row "$1" "$2" "$d"
    done
}

phi() {
    cat <<END
# phi(X): random Fourier features of 4096 points, D = 1000

Made by \`bench/run.sh\`. Machine: $("$bench/bench_phi" machine);
numpy $("$python" -c 'import numpy; print(numpy.__version__)' 2>/dev/null || echo 'absent').

- *phi*: \`orff_features_phi\`, one (cosine, sine) pair per point and frequency; minimum, median and spread (median
  absolute deviation) over 15 rounds.
- *GEMM*: the product X omega^T alone, by the same BLAS. *SLEEF*: the cosines and sines alone, same functions and
  vectors. *libm*: the product, then cos and sin of the C library. All with the same threads as phi.
- *numpy*: product, cos and sin into arrays made beforehand; its product has the same threads, its cos and sin have one.
- phi, GEMM, SLEEF and libm run in turn, and their ratios are medians over the rounds; numpy runs right after,
  and its ratio is one of medians. Times are medians.
- *of GEMM rate*: the arithmetic of the product over the time of all of phi, against a square product of size 2048.
- \\* disturbed: the spread is more than 15 % of the median, also when measured again.
END
    cores=$(getconf _NPROCESSORS_ONLN)
    for precision in double single; do table 1 "$precision" "One core"; done
    if [ "$cores" -gt 1 ]; then
        for precision in double single; do table 0 "$precision" "$cores cores"; done
    fi
}

phi >"$results/phi.md.part"
mv "$results/phi.md.part" "$results/phi.md"
cat "$results/phi.md"

echo "csv" >&2
wait_for_quiet
"$bench/bench_csv" >"$results/csv.md.part"
mv "$results/csv.md.part" "$results/csv.md"
cat "$results/csv.md"
