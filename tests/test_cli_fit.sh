#!/bin/sh
# fit, evaluate, tune and info: what they learn, what they tell, what they write.
. "$SOURCE_DIR/tests/cli/common.sh"

field train.csv 1 300
field test.csv 301 500
fit() { "$orff" fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 60 -o m.orff "$@"; }
rmse() {
    "$orff" evaluate m.orff test.csv --json --quiet >e.json
    number e.json rmse
}

# Everything automatic: near the noise (0.1/sqrt 12 = 0.029).
expect 0 'written +m\.orff' fit --kernel div-free
less "$(rmse)" 0.034 "div-free"
expect 0 'length scale .* by cross-validation' fit
less "$(rmse)" 0.040 "decomposable"
expect 0 'found: [0-9]+ % divergence-free at [0-9.]+ km.*% noise' fit --kernel auto
less "$(rmse)" 0.034 "auto"
expect 0 'found: .*% noise' fit --kernel div-free+decomposable --sigma 0.8+0.4 --weight auto
less "$(rmse)" 0.036 "sum"
expect 0 'curl-free' fit --kernel curl-free
less 0.1 "$(rmse)" "curl-free cannot learn it"
expect 0 'helmholtz' fit --kernel helmholtz --mix auto --sigma 0.7
less "$(rmse)" 0.036 "helmholtz"

# JSON has what the contract lists, and is alone on standard output.
fit --kernel div-free --sigma 0.7 --json --quiet >f.json 2>err
[ ! -s err ] || fail "--quiet: $(cat err)"
for key in n d p kernel base sigma lambda features sampling seed solver precision seconds train_rmse model cv_rmse; do
    grep -q "^  \"$key\": " f.json || fail "--json has no $key"
done
[ "$(number f.json sigma)" = 0.7 ] || [ "$(number f.json sigma)" = 0.69999999999999996 ] || fail "sigma $(number f.json sigma)"
# The errors of the outputs make that of all, training and cross-validated.
for error in train_rmse cv_rmse; do
    awk -v key="\"$error\":" '$1 == key { if (index($0, "      ") == 1) { sum += ($2 + 0) ^ 2; n++ } else all = ($2 + 0) ^ 2 }
        END { exit !(n == 2 && all > 0 && (sum / 2 / all - 1) ^ 2 < 1e-20) }' f.json || fail "$error of the outputs: $(cat f.json)"
done
expect 0 'RMSE +training +cross-validated' fit --kernel div-free --sigma 0.7
expect 0 '^  v_ms +0\.0[0-9]+ +0\.0[0-9]+  m s-1$' fit --kernel div-free --sigma 0.7
expect 0 '^  v_ms +0\.0[0-9]+ +m s-1$' fit --kernel div-free --sigma 0.7 --lambda 1e-5
for key in n rmse mse r2 per_output; do grep -q "^  \"$key\": " e.json || fail "evaluate --json has no $key"; done

# Whatever the options, it learns; that each makes a difference is seen in test_cli_options_*.sh.
for options in '--sampling iid' '--sampling orthogonal' '--sampling grid' '--precision single' '--seed 3' '--center no' \
    '--base matern52' '--solver pcg' '--solver lsmr' '--scale-outputs yes' '--scale-inputs no' '--loss huber --iterations 20' \
    '--output-matrix covariance' '--compact' '--sigma 0.7,0.9' '--lambda 1e-4' '--posterior no' '--weights w' '--memory 0'; do
    [ "$options" != '--weights w' ] || {
        awk -F, 'NR == 1 { print $0 ",w"; next } { print $0 ",2" }' train.csv >weighted.csv
        mv weighted.csv train.csv
    }
    # shellcheck disable=SC2086  # words
    expect 0 'written' fit --sigma 0.7 $options
    less "$(rmse)" 0.06 "fit $options"
done
fit --sigma 0.7 --lambda 1e-4 --json --quiet >f.json
[ "$(number f.json lambda)" = 0.0001 ] || fail "lambda $(number f.json lambda)"
expect 0 '"precision": "single"' fit --sigma 0.7 --precision single --json
expect 0 '"solver": "pcg"' fit --sigma 0.7 --solver pcg --json
expect 0 '"sampling": "orthogonal"' fit --sigma 0.7 --sampling orthogonal --json
expect 0 '"seed": 9' fit --sigma 0.7 --seed 9 --json

# Output matrices from files.
printf '1,0.5\n0.5,1\n' >A.csv
expect 0 'written' fit --sigma 0.7 --output-matrix A.csv
printf '0,1\n1,0\n' >W.csv
expect 0 'written' fit --sigma 0.7 --output-matrix laplacian:W.csv
printf '1,0.5\n' >bad.csv
expect 2 'the matrix is 1 x 2; expected 2 x 2' fit --sigma 0.7 --output-matrix bad.csv
expect 1 'nowhere.csv: cannot be opened' fit --sigma 0.7 --output-matrix nowhere.csv

# info
fit --kernel div-free --quiet
expect 0 'inputs +x_km \[km\], y_km \[km\]' "$orff" info m.orff
expect 0 'div-free \(gaussian' "$orff" info m.orff
expect 0 '"kind": "model"' "$orff" info m.orff --json
expect 0 'csv data, 5 columns' "$orff" info train.csv
expect 0 '"kind": "data"' "$orff" info train.csv --json
expect 1 'nowhere: ' "$orff" info nowhere

# Classes.
awk 'BEGIN { seed = 7; print "a,b,kind"
    for (i = 0; i < 300; i++) { x = draw(); y = draw(); print x "," y "," (x + y > 1 ? "far" : x > y ? "low" : "high") } }
    function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }' >kinds.csv
expect 0 'written' "$orff" fit kinds.csv --outputs kind --classify --features 60 -o k.orff
expect 0 '"error_rate": 0\.0' "$orff" evaluate k.orff kinds.csv --json
expect 0 'classes +far, high, low' "$orff" info k.orff
expect 0 'written' "$orff" fit kinds.csv --outputs kind --classify --loss logistic --features 60 --sigma 0.5 --lambda 1e-4 -o k.orff
"$orff" predict k.orff kinds.csv -o - -q >kinds.out
[ "$(head -n 1 kinds.out)" = a,b,kind ] || fail "header $(head -n 1 kinds.out)"
[ "$(paste -d ' ' kinds.csv kinds.out | tr ',' ' ' | awk '$3 != $6' | wc -l)" -lt 20 ] || fail "classes predicted"
expect 0 '"classes": 3' "$orff" fit kinds.csv --outputs kind --classify --features 20 --sigma 0.5 --memory 0 -o k.orff --json

# tune
expect 0 'best' "$orff" tune train.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 60 --kernel curl-free \
    --kernel div-free --sigma 0.3 --sigma 0.8 --report scores.csv -o m.orff
[ "$(wc -l <scores.csv)" -eq 181 ] || fail "report: $(wc -l <scores.csv) lines" # 4 candidates, 45 lambdas
head -n 1 scores.csv | grep -q '^candidate,label,kernel,base,sigma,features,sampling,lambda,cv_mse,cv_rmse,chosen$' ||
    fail "$(head -n 1 scores.csv)"
[ "$(grep -c ',1$' scores.csv)" -eq 4 ] || fail "one lambda is chosen for each candidate"
# label has one comma, in quotes: cv_mse is the 10th field, chosen the 12th; none is below the chosen one
awk -F, 'NR > 1 { if (!($1 in least) || $10 < least[$1]) least[$1] = $10; if ($12) chosen[$1] = $10 }
    END { for (c in least) if (chosen[c] != least[c]) exit 1 }' scores.csv || fail "chosen is not the smallest"
expect 0 'div-free' "$orff" info m.orff
less "$(rmse)" 0.034 "tune"
expect 0 '"scores"' "$orff" tune train.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 40 --sigma 0.3 --sigma 0.8 -o m.orff --json

# Files that cannot be written or read.
mkdir closed
expect 1 'nowhere/m\.orff' "$orff" fit train.csv --inputs 1-2 --outputs 3-4 --sigma 1 --features 20 -o nowhere/m.orff
expect 1 'closed' "$orff" fit train.csv --inputs 1-2 --outputs 3-4 --sigma 1 --features 20 -o closed
printf 'not a model at all' >junk
expect 1 'junk' "$orff" evaluate junk test.csv
expect 1 'nowhere.csv: cannot be opened' "$orff" fit nowhere.csv --outputs u -o m.orff
finish
