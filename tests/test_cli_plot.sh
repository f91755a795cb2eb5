#!/bin/sh
# plot and plan, manual pages.
. "$SOURCE_DIR/tests/cli/common.sh"

# Manual pages are good troff.
for command in fit predict plot; do
    "$orff" help --man "$command" >page.1
    if command -v groff >/dev/null; then
        [ -z "$(groff -man -Tascii -ww page.1 2>&1 >/dev/null)" ] || fail "manual of $command: $(groff -man -Tascii -ww page.1 2>&1 >/dev/null)"
    fi
done
field train.csv 1 6000
# Plans at three sizes: memory within a factor of two. Times are told, not judged: a busy machine is slower than itself a
# moment ago.
for size in '500 100 decomposable auto' '2000 150 div-free 0.8' '6000 200 div-free 0.8'; do
    # shellcheck disable=SC2086  # words
    set -- $size
    head -n $(($1 + 1)) train.csv >in.csv
    "$orff" plan --n "$1" --dim 2 --outputs 2 --features "$2" --kernel "$3" --sigma "$4" --json >plan.json
    "$orff" fit in.csv --inputs 1-2 --outputs 3-4 --features "$2" --kernel "$3" --sigma "$4" -o m.orff -q --json >fit.json
    awk -v a="$(number plan.json seconds)" -v b="$(number fit.json seconds)" 'BEGIN { exit !(a < 2 * b && b < 2 * a) }' || {
        echo "plan $size: $(number plan.json seconds) s, fit $(number fit.json seconds) s"
    }
    awk -v a="$(number plan.json peak_bytes)" -v b="$(number fit.json peak_bytes)" 'BEGIN { exit !(a < 2 * b && b < 2 * a) }' ||
        [ -n "${ASAN_OPTIONS:-}" ] || fail "plan $size: $(number plan.json peak_bytes) bytes, fit $(number fit.json peak_bytes)"
done
expect 2 '--n: is missing' "$orff" plan
expect 0 'about .* s and .* MB' "$orff" plan --n 1000 --dim 3 --outputs 1 --features 50

# Wrong pictures.
head -n 101 train.csv >small.csv
"$orff" fit small.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --features 50 -o m.orff -q
"$orff" fit small.csv --inputs x_km,y_km --outputs u_ms --sigma 0.8 --features 50 -o one.orff -q
expect 2 'must end in .svg, .png or .pdf' "$orff" plot m.orff -o p.jpg
expect 2 '"culr" is not known; did you mean curl' "$orff" plot m.orff --what culr -o p.svg
expect 1 'two inputs and two outputs; there are 2 and 1' "$orff" plot one.orff --what curl -o p.svg
expect 2 '--size: "big"' "$orff" plot m.orff --size big -o p.svg
status=0
PATH=/nowhere "$orff" plot m.orff -o p.svg 2>err || status=$?
[ "$status" -eq 1 ] || fail "without gnuplot: status $status"
[ -z "$(find . -name 'p.svg*')" ] || fail "a failed plot leaves files"

if command -v gnuplot >/dev/null; then
    expect 0 'p.svg' "$orff" plot m.orff --points small.csv -o p.svg
    grep -q 'y (km)' p.svg || fail "no label in p.svg"
    grep -q 'speed (m/s)' p.svg || fail "no colour label in p.svg"
    [ ! -e p.svg.gp ] || fail "the script stays without --keep"
    sed '1s/.*/x,y,u [M\/S],v [M\/S]/' small.csv >capitals.csv
    "$orff" fit capitals.csv --inputs x,y --outputs u,v --kernel div-free --sigma 0.8 --features 50 -o capitals.orff -q
    "$orff" plot capitals.orff -o capitals.svg -q
    grep -q 'speed (M/S)' capitals.svg || fail "M/S is no unit of a speed"
    for what in divergence curl potential stream error; do
        rm -f p.png.gp
        expect 0 '"picture": "p.png"' "$orff" plot m.orff --what $what --grid x_km=-1:1:2,y_km=-0.5:0.5:2 -o p.png --json --keep
        [ -s p.png ] || fail "$what: no picture"
        [ -s p.png.gp ] || fail "$what: no script"
    done
    # Output matrices, of models that have one.
    "$orff" fit small.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 0.7 --lambda 1e-3 --output-matrix learn -q -o joined.orff
    expect 0 '"what": "matrix"' "$orff" plot joined.orff --what matrix -o matrix.svg --json
    grep -q correlation matrix.svg || fail "no colour label in matrix.svg"
    # Far from the data nothing is drawn, unless everything is wanted.
    wide='x_km=-1:9:2,y_km=-1:1:2'
    "$orff" plot m.orff --grid "$wide" -o wide.png --keep -q
    grep -q ' NaN$' wide.png.gp || fail "places without data are drawn"
    grep -q '^[-0-9.e]* [-0-9.e]* [0-9]' wide.png.gp || fail "nothing is drawn"
    rm wide.png.gp
    "$orff" plot m.orff --grid "$wide" --everywhere -o wide.png --keep -q
    ! grep -q ' NaN$' wide.png.gp || fail "--everywhere leaves places out"
    expect 0 'p.pdf' "$orff" plot m.orff -o p.pdf --size 600x500 --arrows 10
    head -c 4 p.pdf | grep -q '%PDF' || fail "p.pdf is none"

    # Curves of a tuning: eight in colour, the others grey, the smallest error marked.
    set -- --inputs x_km,y_km --outputs u_ms,v_ms --features 20 --lambda-grid 1e-6:1:7
    "$orff" tune small.csv "$@" --kernel decomposable --kernel div-free --sigma 0.2 --sigma 0.4 --sigma 0.6 --sigma 0.8 \
        --sigma 1 --report scores.csv -o t.orff -q
    expect 0 '"candidates": 10' "$orff" plot scores.csv -o curves.svg --keep --json
    cv=$(number out cv_rmse)
    least=$(awk -F, 'NR > 1 && (!least || $11 < least) { least = $11 } END { print least }' scores.csv)
    awk -v a="$cv" -v b="$least" 'BEGIN { exit !(a > 0 && (a / b - 1) ^ 2 < 1e-12) }' || fail "best $cv, smallest $least"
    for text in 'div-free, sigma 0.8' '2 others' 'best: ' 'cross-validated RMSE'; do
        grep -q "$text" curves.svg || fail "no \"$text\" in curves.svg"
    done
    [ "$(grep -c 'with linespoints' curves.svg.gp)" -eq 8 ] || fail "$(grep -c 'with linespoints' curves.svg.gp) curves in colour"
    "$orff" tune small.csv "$@" --sigma 0.5 --lambda 1e-4 --lambda 1e-2 --report two.csv -o t.orff -q
    expect 0 '"candidates": 2' "$orff" plot two.csv --what tuning -o curves.png --json
    expect 1 'small.csv: .*report of orff tune' "$orff" plot small.csv -o p2.svg
    expect 1 'cannot be opened' "$orff" plot nowhere.csv -o p2.svg
    printf 'candidate,label,lambda,cv_rmse\n1,a,-1,2\n' >bad.csv
    expect 1 'row 1: lambda -1' "$orff" plot bad.csv -o p2.svg
    printf 'candidate,label,lambda,cv_rmse\n' >bad.csv
    expect 1 'no rows' "$orff" plot bad.csv -o p2.svg
    [ -z "$(find . -name 'p2.svg*')" ] || fail "a failed plot leaves files"
fi
finish
