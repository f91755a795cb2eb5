#!/bin/sh
# Whatever gnuplot does, and whenever it is ended, there is the whole picture or the old one.
. "$SOURCE_DIR/tests/cli/common.sh"
texts='good'
. "$SOURCE_DIR/tests/cli/hostile.sh"

fake() { printf '#!/bin/sh\n%s\n' "$1" >bin/gnuplot && chmod +x bin/gnuplot; }
cut_short() {
    echo old >"f.$1"
    fake "$2"
    expect 1 "f.$1: gnuplot (failed|did not)" "$orff" plot good.orff -o "f.$1"
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
finish
