#!/bin/sh
# Texts of files and of the command line that mean harm: in a picture they are drawn and nothing runs, on a terminal
# they are shown and nothing moves.
. "$SOURCE_DIR/tests/cli/common.sh"
command -v python3 >/dev/null || { echo "python3 is not installed"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
newline='
'

harm() { python3 "$SOURCE_DIR/tests/cli/hostile.py" "$@" 2>harm.err || fail "$* ($(tail -n 1 harm.err))"; }

# A program on the path that leaves a mark, wherever it runs; and a place of our own for temporary files.
mkdir bin tmp svg again
TMPDIR=$work/tmp
PATH=$work/bin:$PATH
export TMPDIR
printf '#!/bin/sh\n: >"%s/CANARY"\n' "$work" >bin/canary
chmod +x bin/canary
canary
[ -e CANARY ] || fail "the canary does not sing"
rm -f CANARY

quiet() {
    [ ! -e CANARY ] || fail "$1: something ran"
    [ -z "$(ls tmp)" ] || fail "$1: temporary files are left: $(ls tmp)"
    rm -rf CANARY tmp/*
}

# run COMMAND..: done, or a failure that was told. All that is printed is gathered, to be looked at together.
runs=0
run() {
    runs=$((runs + 1)) status=0
    "$@" >stdout 2>stderr </dev/null || status=$?
    [ "$status" -le 2 ] || fail "run $runs: $*: status $status: $(head -c 300 stderr)"
    { echo "== $runs" && cat stdout stderr; } >>printed
}

# draw WHAT MODEL|REPORT PICTURE
draw() {
    run "$orff" plot "$2" -o "$3"
    [ "$status" -eq 0 ] || fail "$1: no picture: $(head -c 300 stderr)"
    [ "$(cat stderr)" = "$3" ] || fail "$1: gnuplot complains: $(head -c 300 stderr)"
    quiet "$1"
}

learn() { "$orff" fit "$1" --inputs 1,2 --outputs 3,4 --kernel decomposable --sigma 1 --lambda 1e-3 --features 10 -q -o "$2"; }

harm make
learn good.csv good.orff
harm forge good.orff

# ---- pictures
if command -v gnuplot >/dev/null; then
    for file in *.txt; do
        name=${file%.txt}
        learn "$name.csv" t.orff || fail "$name: no model"
        draw "$name as names" t.orff "svg/$name.names.svg"
        draw "$name as label" "$name.report.csv" "svg/$name.label.svg"
        draw "$name in notes" "$name.forged.orff" "svg/$name.notes.svg"
    done
    for name in line double markup control long good; do
        learn $name.nc t.orff || fail "$name: no model of NetCDF"
        draw "$name as units" t.orff svg/$name.units.svg
    done
    learn line.csv line.orff
    for kind in png pdf; do
        run "$orff" plot line.orff --points line.csv --what curl -o "p.$kind"
        [ -s "p.$kind" ] || fail "no p.$kind"
        draw "$kind" markup.report.csv "r.$kind"
    done

    # Names of pictures, of their directories, and of the place for temporary files.
    odd="d'${newline}!canary$newline\"\`canary\`"
    mkdir "$odd" "tmp-$odd"
    # shellcheck disable=SC2016  # not expanded, that is the point
    for name in '|canary #.svg' '<canary #.svg' '-e.svg' "it's.svg" "a${newline}!canary$newline.svg" '`canary`.svg' \
        '$(canary).svg' '@x.svg' "';system('canary');'.svg" '"q".svg' '%d.svg' "$(printf '\351\033[31m.svg')"; do
        run "$orff" plot good.orff -o "$name" --json
        [ "$status" -eq 0 ] || fail "$name: status $status: $(cat stderr)"
        grep -q '"picture": ' stdout || fail "$name: $(cat stdout)"
        mv -- "$name" svg/p.svg || fail "$name: is not there"
        quiet "$name"
    done
    run env TMPDIR="tmp-$odd" "$orff" plot good.orff -o "$odd/p.svg" --keep -q
    mv "$odd/p.svg" svg/p.svg || fail "no picture in $odd"
    [ -f "$odd/p.svg.gp" ] || fail "no script in $odd"
    ! grep -q canary "$odd/p.svg.gp" || fail "the script knows where it is"
    [ -z "$(ls "tmp-$odd")" ] || fail "temporary files are left in another place"
    expect 1 'temporary directory cannot be made.*TMPDIR' env TMPDIR=nowhere "$orff" plot good.orff -o p9.svg
    [ ! -e p9.svg ] || fail "a picture without a place for its script"
    harm svg svg/*.svg

    # What lies beside the picture is not ours.
    for end in gp part; do
        echo mine >victim
        echo mine >"p.svg.$end"
        ln -sf victim "q.svg.$end"
        ln -sf nothing "r.svg.$end"
        for p in p q r; do expect 0 "$p.svg" "$orff" plot good.orff -o $p.svg; done
        [ "$(cat "p.svg.$end" victim)" = "mine${newline}mine" ] || fail ".$end: was written to"
        { [ -L "q.svg.$end" ] && [ -L "r.svg.$end" ] && [ ! -e nothing ]; } || fail ".$end: a link was touched"
    done
    for p in p q r; do
        echo old >$p.svg
        expect 1 "$p.svg.gp: exists, and --keep" "$orff" plot good.orff -o $p.svg --keep
        [ "$(cat $p.svg)" = old ] || fail "$p.svg: was drawn before it was refused"
    done
    { [ "$(cat p.svg.gp victim)" = "mine${newline}mine" ] && [ ! -e nothing ]; } || fail "--keep replaces"

    # A kept script draws by itself, wherever it lies.
    rm -f p.svg.gp
    for kind in svg png pdf; do
        expect 0 "p.$kind" "$orff" plot line.orff -o "p.$kind" --keep
        (cd again && gnuplot -d "../p.$kind.gp") || fail "p.$kind.gp does not run"
        [ -s "again/picture.$kind" ] || fail "p.$kind.gp draws nothing"
    done
    cmp p.svg again/picture.svg || fail "p.svg.gp draws another picture"
    quiet "a kept script"

    # gnuplot does not notice a full disk, or a limit of file sizes: between the size of the script and the picture's.
    echo old >q.svg
    limit=$((($(wc -c <p.svg.gp) + $(wc -c <p.svg)) / 1024))
    [ $((limit * 512)) -gt "$(wc -c <p.svg.gp)" ] || fail "the picture is smaller than its script"
    expect 1 'q.svg: gnuplot has not written the whole picture' sh -c "ulimit -f $limit; exec \"\$@\"" sh "$orff" plot line.orff -o q.svg
    [ "$(cat q.svg)" = old ] || fail "a cut picture replaced the old one"
    quiet "a cut picture"
fi

# Whatever gnuplot does, there is the whole picture or the old one.
fake() { printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot && chmod +x bin/gnuplot; }
cut_short() {
    echo old >"f.$1"
    fake "$2"
    expect 1 "f.$1: gnuplot has" "$orff" plot good.orff -o "f.$1"
    [ "$(cat "f.$1")" = old ] || fail "$2: f.$1 was replaced"
    quiet "$2"
}
for kind in svg png pdf; do
    cut_short $kind 'exit 0'
    cut_short $kind ": >picture.$kind"
done
cut_short svg 'exit 1'
# shellcheck disable=SC2016  # for the shell of the fake
cut_short svg 'kill -9 $$'
cut_short svg "printf '<?xml?>\n<svg>\n' >picture.svg"
cut_short svg "printf '</svg>\n' >picture.svg"
cut_short svg "printf '<?xml?><svg></svg>x' >picture.svg"
cut_short png "printf '\\211PNG\r\n\032\n....' >picture.png"
cut_short pdf "printf '%%PDF-1.5\n%%%%EO' >picture.pdf"
fake "printf '<?xml?><svg></svg>\n' >picture.svg; echo noise; cat; printf '%s ' \"\$@\" >&2; env | grep secret >&2; :"
run "$orff" plot good.orff -o f-secret.svg --json
[ "$(cat f-secret.svg)" = '<?xml?><svg></svg>' ] || fail "a whole picture was not taken"
grep -q '^-d picture.gp f-secret.svg$' stderr || fail "gnuplot gets $(cat stderr)"
! grep -q noise stdout || fail "gnuplot writes to standard output"

# An interrupt ends gnuplot, and nothing stays.
fake ": >'$work/started'; exec sleep 120"
env --default-signal=INT "$orff" plot good.orff -o f.svg 2>stderr & # shells let what runs beside them ignore it
plot=$!
while [ ! -e started ] && kill -0 $plot; do sleep 0.1; done
kill -INT $plot
status=0
wait $plot || status=$?
[ "$status" -eq 130 ] || fail "interrupted: status $status: $(cat stderr)"
[ "$(cat f.svg)" = old ] || fail "interrupted: f.svg was replaced"
quiet "an interrupt"

# TERM ends the program at once; its directory goes with it.
rm -f started
fake ": >'$work/started'; exec sleep 5"
"$orff" plot good.orff -o f.svg 2>stderr &
plot=$!
while [ ! -e started ] && kill -0 $plot; do sleep 0.1; done
kill -TERM $plot
status=0
wait $plot || status=$?
[ "$status" -eq 143 ] || fail "terminated: status $status: $(cat stderr)"
[ "$(cat f.svg)" = old ] || fail "terminated: f.svg was replaced"
quiet "TERM"
rm bin/gnuplot

# ---- terminals
for name in control escape line bytes unusual; do
    text=$(cat $name.txt)
    rm -f ./*.moments t.orff
    for options in '--outputs 3,4' '--outputs 3 --classify'; do
        # shellcheck disable=SC2086  # words
        run "$orff" fit $name.csv --inputs 1,2 $options --kernel decomposable --sigma 1 --features 10 -o t.orff
        [ "$status" -eq 0 ] || fail "$name: no model"
        run "$orff" predict t.orff $name.csv -o out.csv --json
        [ "$status" -eq 0 ] || fail "$name: its own columns are not found: $(cat stderr)"
        run "$orff" evaluate t.orff $name.csv
        run "$orff" info t.orff
    done
    set -- --inputs 1,2 --outputs 3,4 --sigma 1 --features 10
    run "$orff" tune $name.csv "$@" --kernel decomposable --kernel curl-free --report r.csv -o t.orff --json
    run "$orff" exact $name.csv --inputs 1,2 --outputs 3,4 --sigma 1 --kernel decomposable -o t.orff
    run "$orff" moments $name.csv "$@" --kernel decomposable -o t.moments
    run "$orff" merge t.moments t.moments -o u.moments --json
    run "$orff" fit $name.nc --inputs x,y --outputs u,v -o t.orff
    for file in $name.csv $name.nc t.orff u.moments $name.forged.orff; do
        run "$orff" info $file
        run "$orff" info $file --json
    done
    run "$orff" evaluate $name.forged.orff $name.csv
    # The same texts as words of the command line.
    run "$orff" "$text"
    run "$orff" help "$text"
    run "$orff" fit "--$text"
    run "$orff" fit "$text" -o "$text"
    run "$orff" merge "$text" "$text" -o "$text.moments"
    run "$orff" plot good.orff -o "$text"
    for option in inputs kernel base sigma lambda lambda-grid folds loss sampling weights covariates memory output-matrix threads; do
        run "$orff" fit good.csv --inputs 1,2 --outputs 3,4 --features 10 "--$option" "$text" -o t.orff
    done
    run "$orff" kernel --x "$text" --z 1
    run "$orff" bound --kernel "$text" --base "$text"
    run "$orff" predict good.orff --grid "$text=0:1:2" -o out.csv
done
harm clean printed

# Shown, not left out; and as JSON it is what it was.
expect 0 'x\\x0a!canary\\x0a#1' "$orff" info line.csv
for name in control escape unusual good; do
    "$orff" info $name.csv --json >$name.json || fail "$name: no JSON"
    harm json $name $name.json
done
run "$orff" info longer.csv
[ "$(wc -c <stdout)" -lt 100000 ] || fail "a name of $(wc -c <stdout) bytes on a terminal"
finish
