#!/bin/sh
# Files that somebody changed and sealed again: notes that are wrong are refused with the file and the member, numbers that
# overflow are errors, and nothing crashes.
. "$(dirname "$0")/cli/common.sh"
forge=$BUILD_DIR/tests/forge
[ -x "$forge" ] || { echo "there is no $forge"; exit 1; }

field train.csv 1 60
awk -F, 'NR == 1 { print "x,y,kind"; next } { print $1 "," $2 "," ($1 > 0 ? "a" : $2 > 0 ? "b" : "c") }' train.csv >kinds.csv
"$orff" fit train.csv --inputs 1,2 --outputs 3,4 --sigma 1 --lambda 1e-3 --features 20 -q -o field.orff
"$orff" fit kinds.csv --inputs x,y --outputs kind --classify --sigma 1 --lambda 1e-3 --features 20 -q -o kinds.orff
"$orff" exact train.csv --inputs 1,2 --outputs 3,4 --sigma 1 --lambda 1e-3 -q -o exact.orff
"$orff" moments train.csv --inputs 1,2 --outputs 3,4 --sigma 1 --features 20 -q -o sums.moments

# wrong FILE NOTES PATTERN: every command that reads the notes refuses them.
wrong() {
    "$forge" "$1" bad.orff notes "$2"
    data=train.csv says="bad.orff: its notes .*$3"
    [ "$1" != kinds.orff ] || data=kinds.csv
    expect 1 "$says" "$orff" info bad.orff
    expect 1 "$says" "$orff" predict bad.orff $data -o out.csv
    expect 1 "$says" "$orff" evaluate bad.orff $data
}

wrong kinds.orff '{"labels":[null,null,null]}' '"labels\[0\]" is not a text'
wrong kinds.orff '{"labels":["a","b"]}' '"labels" has 2 entries; there are 3 classes'
wrong kinds.orff '{"labels":["a","b","a"]}' 'the same'
wrong kinds.orff '{"labels":{"a":1}}' '"labels" is not a list'
wrong kinds.orff '{"geo":{"lon":1,"lat":2}}' '"geo" is for two inputs'
wrong field.orff '{"labels":["a"]}' 'there are 0 classes'
wrong field.orff '{"named":1}' '"named"'
wrong field.orff '{"inputs":3}' '"inputs" is not a list'
wrong field.orff '{"inputs":[]}' '"inputs" names 0 columns; there are 2'
wrong field.orff '{"inputs":[null,null]}' '"inputs\[0\]" is not an object'
wrong field.orff '{"inputs":[{"name":"x"},{}]}' '"inputs\[1\]" has no "name"'
wrong field.orff '{"inputs":[{"name":"x"},{"name":2}]}' '"inputs\[1\].name" is not a text'
wrong field.orff '{"inputs":[{"name":"x","units":[]},{"name":"y"}]}' '"inputs\[0\].units" is not a text'
wrong field.orff '{"inputs":[{"name":"x","low":1},{"name":"y"}]}' '"inputs\[0\]" has not both'
wrong field.orff '{"inputs":[{"name":"x","low":2,"high":1},{"name":"y"}]}' 'goes from 2 to 1'
wrong field.orff '{"outputs":[{"name":"u"},{"name":"v","standard_name":7}]}' '"outputs\[1\].standard_name"'
wrong field.orff '{"covariates":[2]}' '"covariates\[0\]" is not the place of an input, 0 to 1'
wrong field.orff '{"covariates":[-1]}' '"covariates\[0\]"'
wrong field.orff '{"covariates":["x"]}' '"covariates\[0\]"'
wrong field.orff '{"covariates":[1,1]}' '"covariates\[1\]" is there twice'
wrong field.orff '{"covariates":[0,1,0]}' '3 entries'
wrong field.orff '{"geo":[]}' '"geo" is not an object'
wrong field.orff '{"geo":{"lon":"x","lat":1}}' '"geo.lon"'
wrong field.orff '{"geo":{"lon":0,"lat":91}}' '"geo.lat"'
wrong field.orff '{"geo":{"lon":0,"lat":9},"covariates":[0]}' 'there are 1 and 2'
wrong field.orff '{"kernel":"div-free"}' '"kernel" is not an object'
wrong exact.orff '{"kernel":{"kernel":"div-free","base":null,"sigma":"1"}}' '"kernel.base" is not a text'

"$forge" sums.moments bad.moments notes '{"kernel":{"kernel":[],"base":"gaussian","sigma":"1"}}'
expect 1 'bad.moments: its notes .*"kernel.kernel"' "$orff" info bad.moments
expect 1 'bad.moments: its notes .*"kernel.kernel"' "$orff" fit --from-moments bad.moments -o none.orff
[ ! -e none.orff ] || fail "a model was written"

# what is no object of ours is not an error: others keep their own texts there
for notes in '' 'free text' '[1,2]' '"x"' '{}' '{"author":"somebody","inputs_":3}' '{"labels":'; do
    "$forge" field.orff other.orff notes "$notes"
    expect 0 'model of 60 rows' "$orff" info other.orff
    expect 0 'rows predicted' "$orff" predict other.orff train.csv --inputs 1,2 -o out.csv
done

# ---- numbers that overflow when they are used
broken() {
    file=$1 tensor=$2 value=$3 pattern=$4
    shift 4
    "$forge" "$file" broken.orff number "$tensor" all "$value"
    rm -f out.csv
    expect 1 "$pattern" "$orff" "$@"
    [ ! -e out.csv ] || fail "$file, $tensor $value: predictions were written"
}
broken field.orff theta 1e308 'result for row 1 is not finite' predict broken.orff train.csv -o out.csv
broken field.orff spread 1e308 'not finite' predict broken.orff train.csv --derive jacobian -o out.csv
broken field.orff unit 1e-308 'not finite' predict broken.orff train.csv --derive curl -o out.csv
broken field.orff theta 1e308 'not finite' evaluate broken.orff train.csv
broken kinds.orff theta 1e308 'not finite' predict broken.orff kinds.csv -o out.csv
broken exact.orff alpha 1e308 'not finite' predict broken.orff train.csv -o out.csv
broken field.orff posterior.F 1e200 'covariance: .*not finite' predict broken.orff train.csv --std -o out.csv
broken exact.orff posterior.F 1e200 'factor is damaged' predict broken.orff train.csv --std -o out.csv
broken exact.orff posterior.F 1e3 'factor is damaged' predict broken.orff train.csv --std -o out.csv
finish
