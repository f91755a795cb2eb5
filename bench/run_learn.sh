#!/bin/sh
# Times learning, beside scikit-learn in the same run, and writes bench/results/learn.md.
#
#   bench/run_learn.sh BUILD_DIR [quick]
#
# Every figure is the median of three runs (one with `quick`), the things compared run in turn.
set -eu

if [ $# -lt 1 ] || [ ! -x "$1/bench/bench_learn" ]; then
    echo "usage: bench/run_learn.sh BUILD_DIR [quick]   (a build of orff)" >&2
    exit 2
fi
here=$(dirname "$0")
bench=$1/bench/bench_learn
results=$here/results
python=${PYTHON:-/usr/bin/python3}
rounds=3
[ "${2:-}" != quick ] || rounds=1
mkdir -p "$results"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# median FILE COLUMN
median() {
    awk -v c="$2" '{ print $c }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# ratio A B: A / B with two digits
ratio() {
    awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", a / b }'
}

say() { echo "$*" >&2; }

# ---- against scikit-learn

# side NAME COMMAND...: a line of numbers to $work/NAME
side() {
    name=$1
    shift
    "$@" >>"$work/$name"
}

# row NAME LABEL REFERENCE: fit, predict, error, memory, and the ratios to the reference
row() {
    fit=$(median "$work/$1" 1) predict=$(median "$work/$1" 2) rmse=$(median "$work/$1" 3) memory=$(median "$work/$1" 4)
    printf '| %s | %.2f | %s | %.2f | %s | %.4f | %.0f |\n' "$2" "$fit" \
        "$(ratio "$(median "$work/$3" 1)" "$fit")" "$predict" "$(ratio "$(median "$work/$3" 2)" "$predict")" "$rmse" "$memory"
}

compare() {
    n=$1
    say "scikit-learn, N = $n"
    for _ in $(seq $rounds); do
        side "sk$n" "$python" "$here/sklearn_ridge.py" fit "$work" "$n" 3.63 1e-6
        side "double$n" "$bench" files "$work" "$n" 1000 double 3.63 1e-6 auto
        side "single$n" "$bench" files "$work" "$n" 1000 single 3.63 1e-6 auto
        for D in $2; do side "few$n-$D" "$bench" files "$work" "$n" "$D" single 3.63 1e-6 orthogonal; done
    done
    printf '\n### N = %s\n\n' "$n"
    echo '| | fit, s | faster by | predict 100 000, s | faster by | test rmse | memory above the data, MB |'
    echo '|---|--:|--:|--:|--:|--:|--:|'
    row "sk$n" 'scikit-learn, 2000 features' "sk$n"
    row "double$n" 'orff double, D = 1000 (2000 features)' "sk$n"
    row "single$n" 'orff single, D = 1000' "sk$n"
    for D in $2; do row "few$n-$D" "orff single, D = $D" "sk$n"; done
}

# ---- the machine's own rate

attained() {
    printf '\n## Attained rate\n\nFlops of S += phi^T phi over the time of the whole fit at N = 100 000, D = 1000, d = p = 20, against `syrk` on '
    printf '4096 x 2000 blocks in turn with it: processor time of one thread, which others on the machine do not count in; medians of 5.\n\n'
    printf '| | syrk, GFLOP/s | fit, GFLOP/s | attained |\n|---|--:|--:|--:|\n'
    for precision in double single; do
        say "attained, $precision"
        OMP_NUM_THREADS=1 "$bench" attained "$precision" |
            awk -v p="$precision" '{ printf "| %s | %.0f | %.0f | %.0f %% |\n", p, $1, $2, 100 * $3 }'
    done
}

# ---- the authors' problems

authors() {
    printf '\n## The problems of the authors\n\n| problem | seconds | R2 | memory, MB | authors |\n|---|--:|--:|--:|---|\n'
    for n in 5000 37295; do
        say "curl-free, N = $n"
        for _ in $(seq $rounds); do side "curl$n" "$bench" curl "$n" 1000 0.4 1e-6; done
        printf '| curl-free, d = p = 5, D = 1000, N = %s | %.2f | %.4f | %.0f | %s |\n' "$n" "$(median "$work/curl$n" 1)" \
            "$(median "$work/curl$n" 2)" "$(median "$work/curl$n" 3)" \
            "$([ "$n" = 5000 ] && echo '18.0 s (their code, on a machine like this)' || echo '880 s (published, thesis of 2017)')"
    done
    say "decomposable, N = 100000"
    for _ in $(seq $rounds); do side dec "$bench" dec 100000 1000 2.0 1e-8; done
    printf '| decomposable, d = 20, p = 4, D = 1000, N = 100 000 | %.2f | %.4f | %.0f | 105 s (published, 2016) |\n' \
        "$(median "$work/dec" 1)" "$(median "$work/dec" 2)" "$(median "$work/dec" 3)"
}

# ---- growth with N

growth() {
    printf '\n## Time and memory against N\n\nDivergence-free in the plane, D = 200, rows made as they are read.\n\n'
    printf '| N | seconds, double | memory, MB | seconds, single | memory, MB |\n|--:|--:|--:|--:|--:|\n'
    for n in 1000 10000 100000 1000000; do
        say "stream, N = $n"
        for _ in $(seq $rounds); do
            side "sd$n" "$bench" stream "$n" 200 double
            side "ss$n" "$bench" stream "$n" 200 single
        done
        printf '| %s | %.2f | %.0f | %.2f | %.0f |\n' "$n" "$(median "$work/sd$n" 1)" "$(median "$work/sd$n" 2)" \
            "$(median "$work/ss$n" 1)" "$(median "$work/ss$n" 2)"
    done
}

against_exact() {
    printf '\n## Exact kernel ridge and features\n\nDivergence-free in the plane, sigma 0.7, lambda 1e-4; features with D = 500. '
    printf 'The last column is the root mean square difference of the two predictions over the spread of the exact one.\n\n'
    printf '| N | exact, s | features, s | difference |\n|--:|--:|--:|--:|\n'
    for n in 250 500 1000 2000 4000 8000; do
        say "exact, N = $n"
        "$bench" exact "$n" 0.7 1e-4 >"$work/exact"
        printf '| %s | %.2f | %.2f | %s |\n' "$n" "$(median "$work/exact" 1)" "$(median "$work/exact" 2)" "$(median "$work/exact" 3)"
        [ "$(median "$work/exact" 1 | cut -d. -f1)" -lt 60 ] || break
    done
}

learn() {
    cat <<END
# Learning

Made by \`bench/run_learn.sh\`. Machine: $("$bench" machine);
scikit-learn $("$python" -c 'import sklearn; print(sklearn.__version__)').

## Against scikit-learn

RBFSampler(2000) and Ridge(cholesky) on d = p = 20: a sum of 500 random waves (sigma 3.63) and noise 0.1. Same sigma and
lambda (1e-6). Prediction is of 100 000 rows; single precision predicts in single too. Medians of $rounds runs, taken in turn.
END
    "$python" "$here/sklearn_ridge.py" data "$work" 100000
    compare 10000 "400 1200"
    compare 100000 "400 1200"
    attained
    authors
    growth
    against_exact
}

learn >"$work/learn.md"
mv "$work/learn.md" "$results/learn.md"
cat "$results/learn.md"
