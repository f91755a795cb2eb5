#!/bin/sh
# bound: features needed as in the table of the bounds, what applies, what is measured, what is refused.
. "$SOURCE_DIR/tests/cli/common.sh"

# field_of FILE BOUND KEY: a number of one of the bounds.
field_of() { sed -n "/^ *\"$2\": {/,/}/s/^ *\"$3\": \([-0-9.e+]*\),*\$/\1/p" "$1" | head -n 1; }
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= 0.005 * b) }' || fail "$3: $1 is not $2"; }

# Cube [-1,1]^d, sigma 1, probability 0.95: kernel d epsilon printed corrected bounded.
while read -r kernel d epsilon printed corrected bounded; do
    diameter=$(awk -v d="$d" 'BEGIN { printf "%.17g", 2 * sqrt(d) }')
    "$orff" bound --kernel "$kernel" --outputs "$d" --dim "$d" --sigma 1 --diameter "$diameter" --epsilon "$epsilon" --relative --json >b.json
    near "$(field_of b.json printed features_needed)" "$printed" "$kernel $d printed"
    near "$(field_of b.json rigorous features_needed)" "$corrected" "$kernel $d corrected"
    [ "$bounded" = - ] || near "$(number b.json features_needed)" "$bounded" "$kernel $d bounded"
done <<END
decomposable 2 0.1 59400 25500 9250
curl-free 4 0.3 146000 55500 -
div-free 4 0.1 461000 93200 -
END

# The two of the contract, at --features, and D at the edge of the probability.
"$orff" bound --kernel div-free --dim 2 --sigma 1 --diameter 2.828 --epsilon 0.3 --features 20000 --json >b.json
grep -q '"printed": 1.0' b.json || fail "the printed bound says nothing here: $(cat b.json)"
less "$(number b.json corrected)" 0.01 "corrected at 20000"
needed=$(field_of b.json rigorous features_needed)
"$orff" bound --kernel div-free --dim 2 --sigma 1 --diameter 2.828 --epsilon 0.3 --features "$needed" --json >at.json
"$orff" bound --kernel div-free --dim 2 --sigma 1 --diameter 2.828 --epsilon 0.3 --features $((needed - 1)) --json >below.json
less "$(number at.json corrected)" 0.05 "at the D needed"
less 0.05 "$(number below.json corrected)" "one less"

# What does not apply is told with the reason, and what remains.
expect 0 'sub-exponential' "$orff" bound --kernel curl-free --base matern52 --dim 2 --sigma 1 --diameter 2 --epsilon 0.3
grep -Eq '^\* bounded Bernstein, drawn by importance +[0-9]+' out || fail "importance for matern52: $(cat out)"
grep -q 'drawn by importance as fit does: D = ' out || fail "rule of thumb: $(cat out)"
expect 0 'E\|w\|\^2 is infinite' "$orff" bound --base laplace --dim 2 --sigma 1 --diameter 2 --epsilon 0.3
grep -q 'No bound is proven' out || fail "laplace: $(cat out)"
expect 0 '"features_needed": null' "$orff" bound --base laplace --dim 2 --sigma 1 --diameter 2 --epsilon 0.3 --json
expect 0 'converges slower' "$orff" bound --kernel curl-free --base matern32 --dim 2 --sigma 1 --diameter 2 --epsilon 0.3

# |A| of a file: 5 for this one, so epsilon relative to it gives the same D as the identity.
printf 'a,b\n3,2\n2,3\n' >A.csv
"$orff" bound --dim 2 --outputs 2 --sigma 1 --diameter 2 --epsilon 0.1 --relative --json >one.json
"$orff" bound --dim 2 --outputs 2 --sigma 1 --diameter 2 --epsilon 0.5 --output-matrix A.csv --json >five.json
[ "$(number one.json features_needed)" = "$(number five.json features_needed)" ] || fail "the output matrix does not scale"

# Measured errors are below what is proven, and those that fit would draw are smaller.
"$orff" bound --kernel div-free --dim 2 --sigma 1 --diameter 2.828 --epsilon 0.5 --features 300 --empirical 10 --json >m.json
less "$(sed -n 's/^ *"quantile": \([0-9.e-]*\),*$/\1/p' m.json | head -n 1)" 1 "measured iid"
less "$(sed -n 's/^ *"quantile": \([0-9.e-]*\),*$/\1/p' m.json | tail -n 1)" \
    "$(sed -n 's/^ *"quantile": \([0-9.e-]*\),*$/\1/p' m.json | head -n 1)" "measured as fit draws"
expect 0 'measured, as fit draws, qmc' "$orff" bound --kernel div-free+decomposable --sigma 1+0.5 --dim 2 --diameter 2 --epsilon 0.5 --empirical 3

problem='--dim 2 --sigma 1 --diameter 2 --epsilon 0.1'
# shellcheck disable=SC2086
{
    expect 2 '--epsilon: is missing' "$orff" bound --dim 2 --sigma 1 --diameter 2
    expect 2 '--dim: is missing' "$orff" bound --sigma 1 --diameter 2 --epsilon 1
    expect 2 '--sigma: must be a number' "$orff" bound --dim 2 --diameter 2 --epsilon 1
    expect 2 '--probability' "$orff" bound $problem --probability 1
    expect 2 '--epsilon' "$orff" bound --dim 2 --sigma 1 --diameter 2 --epsilon -1
    expect 2 '--outputs: is 3, but curl-free has as many outputs as inputs, here 2' "$orff" bound $problem --kernel curl-free --outputs 3
    expect 2 'one kernel, not for a sum' "$orff" bound $problem --kernel curl-free+div-free
    expect 2 'covariance needs all rows' "$orff" bound $problem --output-matrix covariance
    expect 2 'it is for decomposable' "$orff" bound $problem --kernel curl-free --output-matrix A.csv
    expect 1 'does not exist' "$orff" bound $problem --kernel curl-free --base laplace
    expect 1 'weight 0' "$orff" bound $problem --weight 0
    expect 2 '--empirical' "$orff" bound $problem --empirical many
}
finish
