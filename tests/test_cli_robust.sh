#!/bin/sh
# Limits, pipes, labels beside arrays, and what a terminal shows.
. "$SOURCE_DIR/tests/cli/common.sh"

field train.csv 1 300
columns='--inputs x_km,y_km --outputs u_ms,v_ms --features 60 --sigma 0.7 --quiet'
# shellcheck disable=SC2086  # words
"$orff" fit train.csv $columns -o m.orff

# A limit of the size of files is an error like others: a message, status 1, no file.
limited() { (
    ulimit -f 4 # blocks of 512 or 1024 bytes
    "$@"
); }
grid='x_km=-1:1:100,y_km=-1:1:100'
# shellcheck disable=SC2086
expect 1 'big.orff: cannot be written: File too large' limited "$orff" fit train.csv $columns -o big.orff
# shellcheck disable=SC2086
expect 1 'big.moments: cannot be written: File too large' limited "$orff" moments train.csv $columns -o big.moments
for end in csv npy nc; do
    expect 1 "big.$end: cannot be written" limited "$orff" predict m.orff --grid "$grid" -o big.$end
done
[ -z "$(find . -name 'big*')" ] || fail "a limit leaves files: $(find . -name 'big*')"

# A pipe by its name is CSV; the model is the one of the file.
mkfifo pipe
cat train.csv >pipe &
# shellcheck disable=SC2086
expect 0 'written' "$orff" fit pipe ${columns% --quiet} -o p.orff
wait
cmp -s m.orff p.orff || fail "a pipe makes another model"
status=0
# shellcheck disable=SC2086,SC2002  # a pipe it must be
cat train.csv | "$orff" fit /dev/stdin $columns -o p.orff || status=$?
[ "$status" -eq 0 ] || fail "/dev/stdin: status $status"
cmp -s m.orff p.orff || fail "/dev/stdin makes another model"

# Labels as text beside inputs in another file.
awk -F, 'NR > 1 { print $1 "," $2 }' train.csv | sed '1i a,b' >X.csv
awk -F, 'NR == 1 { print "kind"; next } { print ($1 > 0 ? "east" : "west") }' train.csv >kind.csv
paste -d, X.csv kind.csv >both.csv
expect 0 'written' "$orff" fit X.csv kind.csv --classify --features 60 --sigma 0.5 -o two.orff
expect 0 'written' "$orff" fit both.csv --outputs kind --classify --features 60 --sigma 0.5 -o one.orff
expect 0 'error' "$orff" evaluate two.orff X.csv kind.csv --json
less "$(number out error_rate)" 0.06 "labels beside arrays"
"$orff" predict two.orff X.csv -o two.csv -q
"$orff" predict one.orff X.csv -o one.csv -q
cmp -s one.csv two.csv || fail "labels of a pair are other classes than those of one table"
expect 1 'kind.csv: line 2, column 1 .kind.: "(east|west)" is not a number' "$orff" fit X.csv kind.csv --sigma 0.5 -o n.orff
head -n 200 kind.csv >short.csv
expect 1 '199 rows in short.csv, more in X.csv' "$orff" fit X.csv short.csv --classify --sigma 0.5 -o n.orff
sed '5s/.*/north/' kind.csv >new.csv
expect 1 'new.csv: line 5.*"north" is not one of the known classes' "$orff" evaluate two.orff X.csv new.csv

# On a terminal long work shows a bar, which is erased at the end; elsewhere there is none.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null 2>&1; then
    cp train.csv many.csv
    i=0
    while [ $i -lt 8 ]; do # 300 rows to 76800
        awk 'NR == 1 { print; next } { print; print }' many.csv >more.csv
        mv more.csv many.csv
        i=$((i + 1))
    done
    slow="'$orff' fit many.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 400 --sigma 0.7 --lambda 1e-4 -o s.orff"
    script -qec "$slow" shown >/dev/null
    if tr '\r' '\n' <shown | grep -q 'moments'; then # not on a machine that needs less than a second
        tr '\r' '\n' <shown | grep -Eq 'moments +\[#* *\] +[0-9]+ %  [0-9.]+ k/s  [0-9]+ s left' || fail "the bar: $(tr '\r' '\n' <shown | grep moments)"
        # what is written first after the last bar is "erase the line"
        tr '\r' '\n' <shown | awk '/moments/ { bar = 1; next } bar { bar = 0; if (!index($0, "\033[K")) bad = 1 } END { exit bad }' ||
            fail "the bar is not erased"
        tr '\r' '\n' <shown | awk '/moments/ { last = NR } /rows +[0-9]+ used/ { rows = NR } END { exit !(last < rows) }' || fail "a bar after the table"
    fi
    sh -c "$slow" >plain 2>&1
    ! grep -q 'moments' plain || fail "a bar without a terminal"
fi
finish
