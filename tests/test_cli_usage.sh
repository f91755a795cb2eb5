#!/bin/sh
# The program's face: help, version, wrong usage and its suggestions, exit statuses.
. "$SOURCE_DIR/tests/cli/common.sh"

expect 2 'usage: orff COMMAND' "$orff"
expect 0 'usage: orff COMMAND' "$orff" help
expect 0 'usage: orff COMMAND' "$orff" --help
expect 0 '^orff [0-9]+\.[0-9]+\.[0-9]+$' "$orff" --version
expect 0 'BLAS' "$orff" --version
for command in fit predict evaluate tune info kernel moments merge plan plot; do
    expect 0 '^example:$' "$orff" "$command" --help
    expect 0 "^usage: orff $command " "$orff" help "$command"
    expect 0 '^  --json$' "$orff" "$command" -h
    expect 0 '^\.TH ORFF' "$orff" help --man "$command"
    expect 0 '^orff ' "$orff" "$command" --version
done
expect 0 '^\.TH ORFF 1' "$orff" help --man
expect 0 'complete .*-F _orff orff' "$orff" help --completion

expect 2 'no command "fti"; did you mean "fit"' "$orff" fti
expect 2 'no command "xyzzyxyzzy"; "orff help"' "$orff" xyzzyxyzzy
expect 2 'no option "--kernal".*"--kernel"' "$orff" fit --kernal auto
expect 2 'no option "--subtract"' "$orff" fit --subtract a
expect 2 '--quiet takes no value, but "yes"' "$orff" fit --quiet=yes
expect 2 '--sigma needs a value: S\|' "$orff" fit --sigma
expect 2 'too few operands; usage: orff predict MODEL' "$orff" predict
expect 2 '"d" is one operand too many' "$orff" evaluate a b c d
expect 2 '-o is missing' "$orff" fit data.csv
expect 2 'DATA is missing' "$orff" fit -o m
expect 2 '--threads: "two" is not a whole number' "$orff" info a --threads two

field train.csv 1 60
fit() { "$orff" fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 20 -o m.orff "$@"; }
expect 2 '--outputs is missing' "$orff" fit train.csv -o m.orff
expect 2 'no column "u_m"; did you mean "u_ms"' "$orff" fit train.csv --outputs u_m,v_ms -o m.orff
expect 2 'no kernel "divfree"; did you mean "div-free"' fit --kernel divfree
expect 2 'no base "mattern52"; did you mean "matern52"' fit --base mattern52
expect 2 '--sigma: "0" is no positive' fit --sigma 0
expect 2 '--sigma: 3 values for 2 inputs' fit --sigma 1,2,3
expect 2 '--sigma: 2 values for 1 part' fit --sigma 1+2
for wrong in '' , 1, ,1 1,,2 1+ 1x 1,2x nan inf 1e999 -1 0x10; do
    expect 2 '--sigma: ' fit --sigma "$wrong"
done
for wrong in '' + 1+ 1x nan inf -1 1,1; do
    expect 2 '--weight: ' fit --kernel div-free+curl-free --weight "$wrong"
done
expect 2 '--kernel: there is no value' fit --kernel ''
for wrong in + div-free+ +div-free div-free++curl-free; do
    expect 2 '--kernel: there is no kernel ""' fit --kernel "$wrong"
done
expect 2 '--base: there is no base ""' fit --kernel div-free+curl-free --base gaussian+
for wrong in '' 1x nan inf -inf 0 -0 1e999 '1 ' ' 1'; do
    expect 2 '--lambda: ' fit --lambda "$wrong"
    expect 2 '--tolerance: ' fit --tolerance "x$wrong"
done
for wrong in '' 2x -2 +2 2.0 0x2 ' 2' 99999999999999999999999; do
    expect 2 '--folds: ' fit --folds "$wrong"
    expect 2 '--seed: ' fit --seed "$wrong"
done
expect 2 '--lambda: -1 is out of range' fit --lambda -1
for wrong in 1 1:2 1:2: 1: : ::  1:2:3:4 1:2:3x 1::3 :1:2 0:1:3 1:1:3 2:1:3 1:2:1 1:2:2.5 1:2:1e9 nan:1:3 1:inf:3 \
    1:1e999:3 '1: 2:3'; do
    expect 2 "--lambda-grid: \"$wrong\" is not LO:HI:COUNT" fit --lambda-grid "$wrong"
done
expect 2 '--folds: 1 is out of range' fit --folds 1
expect 2 '--features: "ten" is not a whole' fit --features ten
expect 2 '--loss:.*cubed' fit --loss cubed
expect 2 '--solver:.*magic' fit --solver magic
expect 2 '--sampling:.*dice' fit --sampling dice
expect 2 '--precision: there is no precision "half"' fit --precision half
expect 2 '--center: there is no center "maybe"' fit --center maybe
expect 2 '--mix: .*for kernel helmholtz' fit --mix 0.3
expect 2 '--covariates: "z" is neither' fit --covariates z
expect 2 '--covariates: no part of the kernel is a field' fit --covariates x_km
expect 2 '--geo: there is no geo "utm"' fit --geo utm
expect 2 '--weight: "-1" is no weight' fit --weight -1
expect 2 'auto stands alone' fit --kernel div-free+auto
expect 2 '--sigma: kernel auto chooses' fit --kernel auto --sigma 1
expect 2 'div-free needs as many inputs as outputs, but there are 1 and 2' \
    "$orff" fit train.csv --inputs x_km --outputs u_ms,v_ms --kernel div-free -o m.orff
expect 2 '3 and 1; name those outside .* covariates' \
    "$orff" fit train.csv --inputs x_km,y_km,v_ms --outputs u_ms --kernel curl-free -o m.orff
expect 1 'curl-free' fit --kernel curl-free --base laplace --sigma 1
[ ! -e m.orff ] || fail "a failed fit has written a file"
finish
