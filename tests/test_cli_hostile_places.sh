#!/bin/sh
# Names of pictures, directories and what lies beside them: nothing runs, and nothing of others is touched.
. "$SOURCE_DIR/tests/cli/common.sh"
texts='good line'
. "$SOURCE_DIR/tests/cli/hostile.sh"
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is not installed"; exit 77; }

learn line.csv line.orff

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
    expect 1 "$p.svg.gp: already exists, and --keep" "$orff" plot good.orff -o $p.svg --keep
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

# gnuplot does not notice a full disk, or a limit of file sizes: between the size of the script and the picture's. Curves
# have a small script.
echo old >q.svg
expect 0 cut.svg "$orff" plot line.report.csv -o cut.svg --keep
limit=$((($(wc -c <cut.svg.gp) + $(wc -c <cut.svg)) / 1024))
[ $((limit * 512)) -gt "$(wc -c <cut.svg.gp)" ] || fail "the picture is smaller than its script"
expect 1 'q.svg: gnuplot did not write the whole picture' sh -c "ulimit -f $limit; exec \"\$@\"" sh "$orff" plot line.report.csv -o q.svg
[ "$(cat q.svg)" = old ] || fail "a cut picture replaced the old one"
quiet "a cut picture"
finish
