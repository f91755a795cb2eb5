#!/bin/sh
# exact: models without features, and what the other commands make of their files.
. "$SOURCE_DIR/tests/cli/common.sh"

field train.csv 1 120
field test.csv 301 500
exact() { "$orff" exact train.csv --inputs x_km,y_km --outputs u_ms,v_ms -o m.orff "$@"; }
rmse() {
    "$orff" evaluate m.orff test.csv --json --quiet >e.json
    number e.json rmse
}

# Everything automatic: near the noise (0.1/sqrt 12 = 0.029).
expect 0 'written +m\.orff' exact --kernel div-free
less "$(rmse)" 0.037 "div-free"
expect 0 'by the evidence: decomposable .*, length scale .*; noise ' exact
less "$(rmse)" 0.045 "decomposable"
expect 0 'found: [0-9]+ % divergence-free at [0-9.]+ km.*% noise' exact --kernel auto
less "$(rmse)" 0.037 "auto"
expect 0 'found: .*% noise' exact --kernel div-free+decomposable --sigma 0.8+0.4 --weight auto
less "$(rmse)" 0.040 "sum"
expect 0 'helmholtz' exact --kernel helmholtz --mix auto --sigma 0.7
less "$(rmse)" 0.040 "helmholtz"
expect 0 'curl-free' exact --kernel curl-free
less 0.1 "$(rmse)" "curl-free cannot learn it"

# JSON has what the contract lists, and says that there are no features.
exact --kernel div-free --sigma 0.7 --lambda 1e-4 --json --quiet >f.json 2>err
[ ! -s err ] || fail "--quiet: $(cat err)"
for key in n d p kernel base sigma lambda features sampling seed solver precision seconds train_rmse model cv_rmse; do
    grep -q "^  \"$key\": " f.json || fail "--json has no $key"
done
[ "$(number f.json n)" = 120 ] || fail "n $(number f.json n)"
[ "$(number f.json features)" = 0 ] || fail "features $(number f.json features)"
[ "$(number f.json lambda)" = 0.0001 ] || fail "lambda $(number f.json lambda)"
[ "$(number f.json parameters)" = 240 ] || fail "parameters $(number f.json parameters)"
grep -q '"solver": "exact-cholesky"' f.json || fail "solver: $(cat f.json)"
less 0.02 "$(number f.json cv_rmse)" "left out"
less "$(number f.json train_rmse)" "$(number f.json cv_rmse)" "rows that are left out are harder"

# fit --engine exact is the same, to the last byte of the file.
"$orff" fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.7 --lambda 1e-4 --engine exact \
    -q -o same.orff
cmp m.orff same.orff || fail "fit --engine exact writes another model"

# Many frequencies come to the same: predictions and error bars.
"$orff" fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.7 --lambda 1e-4 --sampling grid \
    --features 2500 -q -o features.orff
for model in m features; do "$orff" predict $model.orff test.csv --std --bare -q -o $model.csv; done
paste -d, m.csv features.csv | awk -F, 'NR > 1 { for (i = 1; i <= 4; i++) { e = ($i - $(i + 4)) ^ 2; if (e > most) most = e } n++ }
    END { exit !(n == 200 && NF == 8 && sqrt(most) < 1e-3) }' || fail "features and exact differ"

# Whatever the options, it learns; that each makes a difference is seen in test_cli_options_*.sh.
awk -F, 'NR == 1 { print $0 ",w"; next } { print $0 ",2" }' train.csv >weighted.csv
for options in '--center no' '--base matern52' '--scale-outputs yes' '--scale-inputs no' '--output-matrix covariance' \
    '--sigma 0.7,0.9' '--lambda 1e-4' '--lambda-grid 1e-6:1:10' '--posterior no'; do
    # shellcheck disable=SC2086  # words
    expect 0 'written' exact --sigma 0.7 $options
    less "$(rmse)" 0.08 "exact $options"
done
expect 0 'written' "$orff" exact weighted.csv --inputs x_km,y_km --outputs u_ms,v_ms --weights w --sigma 0.7 -o m.orff
less "$(rmse)" 0.08 "weights"
expect 0 'written' "$orff" tune train.csv --inputs x_km,y_km --outputs u_ms,v_ms --engine exact --kernel div-free \
    --kernel curl-free --sigma 0.7 -o m.orff
expect 0 'kernel +div-free' "$orff" info m.orff

# Classes.
awk -F, 'NR == 1 { print "x,y,side"; next } { print $1 "," $2 "," ($1 * $2 > 0 ? "same" : "opposite") }' train.csv >classes.csv
expect 0 'written' "$orff" exact classes.csv --outputs side --classify -o c.orff
"$orff" evaluate c.orff classes.csv --json --quiet >e.json
less "$(number e.json error_rate)" 0.1 "classes"

# What the other commands say of it.
expect 0 'written' exact --kernel div-free --sigma 0.7 --posterior no
expect 0 'features +none: the exact kernel, 240 coefficients' "$orff" info m.orff
expect 0 'error bars +no' "$orff" info m.orff
expect 1 'error bars' "$orff" predict m.orff test.csv --std -o p.csv
expect 0 '200 rows predicted' "$orff" predict same.orff test.csv --derive curl -o p.csv
expect 0 '' "$orff" predict same.orff --grid x_km=-1:1:5,y_km=-1:1:5 --std -o p.csv
[ "$(wc -l <p.csv)" = 26 ] || fail "a grid of $(wc -l <p.csv) lines"
expect 0 '^about .* s and .* MB' "$orff" plan --n 200 --dim 2 --outputs 2 --kernel div-free --engine exact
expect 0 '"features": 0' "$orff" plan --n 200 --dim 2 --outputs 1 --engine exact --sigma 1 --json

# Wrong usage.
expect 2 'DATA is missing' "$orff" exact -o m.orff
expect 2 '-o is missing' "$orff" exact train.csv --outputs u_ms
expect 2 'no option "--features"' exact --features 10
for options in '--features 10' '--sampling iid' '--seed 1' '--folds 3' '--compact' '--tolerance 0.1'; do
    # shellcheck disable=SC2086  # words
    expect 2 'no effect on an exact model' "$orff" fit train.csv --outputs u_ms,v_ms --engine exact -o z.orff $options
done
expect 2 '--loss: has no effect' "$orff" fit train.csv --outputs u_ms,v_ms --engine exact --loss huber -o z.orff
expect 2 '--precision: has no effect' "$orff" fit train.csv --outputs u_ms,v_ms --engine exact --precision single -o z.orff
expect 1 'is not known beforehand' "$orff" plan --n 200 --dim 2 --outputs 2 --solver sgd
[ ! -e z.orff ] || fail "a model was written"

# More rows than memory is for: refused before any work, with what to do instead.
awk 'BEGIN { srand(1); print "x,y"; for (i = 0; i < 600000; i++) print rand() "," rand() }' >many.csv
expect 1 'GB of memory, the limit is.*bytes\); fit with features' "$orff" exact many.csv --outputs y -o z.orff
finish
