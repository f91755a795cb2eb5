# For scripts that learn from real data (ORFF_DATA, or ../shared/data beside the project): sourced after common.sh.
#
# A fifth of the rows is held out, sigma and lambda are automatic. Every fifth row has neighbours among the others, and so have
# the folds that lambda is chosen on: blocks, which are the default, look after gaps instead. A kernel for fields must not be worse than the
# decomposable one by more than 5 %, and the automatic one not worse by more than that than the best of the others: the root
# mean square error of n rows and p outputs is itself known to 1 / sqrt(2 n p), which is 3.5 % for 200 rows of two. No error
# may be more than 15 % above the one written beside it, which was measured with 200 frequencies.
#
# Other numbers of frequencies are told, not judged: ORFF_DATA_FEATURES=auto makes the table of docs/data.md with the default
# one, which takes minutes. Sanitizers look at the same commands with 20, and not at automatic kernels, which are many of
# the same fits.
# shellcheck shell=sh
data=${ORFF_DATA:-$SOURCE_DIR/../shared/data}
[ -d "$data/drifters" ] || { echo "skipped: there are no real data in $data (ORFF_DATA)"; exit 77; }
features=${ORFF_DATA_FEATURES:-${SANITIZED:+20}}
features=${features:-200}
export OMP_NUM_THREADS=2 GOMP_SPINCOUNT=100

# split FILE: every fifth row is held out.
split() {
    case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac | awk 'NR == 1 { print >"train.csv"; print >"held.csv"; next }
        { print >(NR % 5 ? "train.csv" : "held.csv") }'
    baseline= best=
}

# check NAME EXPECTED KERNEL OPTIONS..: fits train.csv and looks at the rows held out. Of one split the decomposable kernel
# comes first: it is the baseline of the others.
check() {
    name=$1 expected=$2 kernel=$3
    shift 3
    [ -z "${SANITIZED:-}" ] || [ "$kernel" != auto ] || return 0
    "$orff" fit train.csv "$@" --kernel "$kernel" --features "$features" --folds-by random --skip-missing --json -q -o m.orff >f.json ||
        { fail "$name: fit $*"; return; }
    "$orff" evaluate m.orff held.csv --skip-missing --json -q >e.json || { fail "$name: evaluate"; return; }
    error=$(number e.json rmse) # the first ones of the object are those of all outputs
    [ "$kernel" != decomposable ] || baseline=$error
    bar=$baseline
    [ "$kernel" != auto ] || bar=$best
    best=$(awk -v a="$error" -v b="${best:-$error}" 'BEGIN { print a < b ? a : b }')
    printf '| %s | %s | %s | %s | %.4g | %.3f | %.4g | %.1f |\n' "$name" "$(number f.json n)" "$kernel" "$(number f.json features)" \
        "$error" "$(number e.json r2)" "$baseline" "$(number f.json seconds)"
    [ "$features" = 200 ] || return 0 # told, not judged
    less "$error" "$(awk -v a="$bar" 'BEGIN { print 1.05 * a }')" "$name, $kernel, against the others"
    less "$error" "$(awk -v a="$expected" 'BEGIN { print 1.15 * a }')" "$name, $kernel, against what it was"
}

echo '| data | rows | kernel | frequencies | held-out rmse | R squared | decomposable | fit, s |'
echo '|---|--:|---|--:|--:|--:|--:|--:|'
