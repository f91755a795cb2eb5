#!/bin/sh
# orff-mpi where something is wrong on one rank: all of them end, rank 0 says why, and no file is there.
. "$SOURCE_DIR/tests/mpi/common.sh"

field all.csv 1 900
columns="--inputs x_km,y_km --outputs u_ms,v_ms --sigma 1 --features 30"
for part in 1 2 3; do { head -n 1 all.csv; sed -n "$((300 * part - 298)),$((300 * part + 1))p" all.csv; } >part-$part.csv; done

# shellcheck disable=SC2086  # words
try() { # RANKS PATTERN DATA..
    count=$1 pattern=$2
    shift 2
    refused "$count" "$pattern" "$orff_mpi" fit "$@" $columns -o never.orff
}

try 3 'none-\*\.csv: there are no such files' 'none-*.csv'
try 3 'gone\.csv: cannot be opened' gone.csv
printf 'part-1.csv\ngone.csv\n' >list
try 2 'gone\.csv: cannot be opened' @list
try 2 'standard input cannot be divided' -
refused 2 'there is no column' "$orff_mpi" fit part-1.csv --inputs a,b --outputs u_ms --sigma 1 -o never.orff

# A line that is none, in the share of the last rank.
{ cat all.csv; echo 'this,is,not,it'; } >wrong.csv
try 3 'rank 2: wrong\.csv: line [0-9]+ after byte [0-9]+, column 1' wrong.csv

# A part that is cut short, and one with other columns.
"$orff" fit all.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 1 --features 30 -o model.orff -q
"$orff" predict model.orff --grid x_km=0:4:50,y_km=0:3:50 -o array-1.npy -q
head -c 30000 array-1.npy >array-2.npy
refused 3 'array-2\.npy: is cut short' "$orff_mpi" fit 'array-*.npy' --inputs 1 --outputs 2 --sigma 1 --features 30 -o never.orff
cp part-1.csv mixed-1.csv
sed '1s/x_km,y_km/y_km,x_km/' part-2.csv >mixed-2.csv
sed '1s/x_km/e_km/' part-2.csv >mixed-3.csv
try 2 'mixed-3\.csv: .*x_km' 'mixed-*.csv'

# Newlines in quotes: a file that was divided is refused, by whoever meets them, and a packed one is not divided.
{ sed -n 1p all.csv | sed 's/$/,note/'; sed -n 2,900p all.csv | sed 's/$/,""/' | sed '500s/""$/"two\nlines"/'; } >quoted.csv
try 3 'quoted\.csv: .*newline' quoted.csv
gzip quoted.csv
# shellcheck disable=SC2086
ranks 3 "$orff_mpi" fit quoted.csv.gz $columns -o whole.orff -q || fail "newlines in quotes in a packed file"

# Settings that no sum over rows has, and ranks with different words.
try 2 'not available under mpirun' all.csv --loss huber
try 2 'rows in degrees have no lattice' all.csv --geo lonlat --engine lattice
status=0
# shellcheck disable=SC2086
"$MPIEXEC" $oversubscribe -n 1 "$orff_mpi" fit all.csv $columns -o never.orff : -n 1 "$orff_mpi" fit all.csv $columns --seed 3 -o never.orff \
    >out 2>&1 || status=$?
[ "$status" -ne 0 ] && grep -q 'do not have the same' out || fail "ranks with different words: $(cat out)"

# Files that cannot be written.
# shellcheck disable=SC2086
refused 2 'nowhere/never\.orff' "$orff_mpi" fit all.csv $columns -o nowhere/never.orff
refused 3 'nowhere/never\.npy' "$orff_mpi" predict model.orff all.csv -o nowhere/never.npy
refused 2 'nowhere/never\.csv' "$orff_mpi" predict model.orff all.csv -o nowhere/never.csv
refused 3 'rank 2: wrong\.csv' "$orff_mpi" predict model.orff wrong.csv -o never.npy
refused 3 'wrong\.csv' "$orff_mpi" predict model.orff wrong.csv -o never.csv
refused 2 'gone\.orff: cannot be read' "$orff_mpi" predict gone.orff all.csv -o never.npy

# A disk that is full, or a limit that stands for one: the file would have 40 MB.
(
    ulimit -f 40000 # of 512 bytes: 20 MB
    refused 3 'never\.npy: cannot be written' "$orff_mpi" predict model.orff --grid x_km=0:4:1600,y_km=0:3:1600 -o never.npy
    refused 3 'never\.csv: cannot be written' "$orff_mpi" predict model.orff --grid x_km=0:4:800,y_km=0:3:800 -o never.csv
    finish
) || failures=$((failures + 1))

# A rank that dies.
i=0
while [ $i -lt 40 ]; do cat all.csv; i=$((i + 1)); done | grep -v x_km >rows
{ head -n 1 all.csv; cat rows; } >long.csv
# shellcheck disable=SC2086
"$MPIEXEC" $oversubscribe -n 3 "$orff_mpi" fit long.csv --inputs x_km,y_km --outputs u_ms,v_ms --sigma 1 --features 700 -o never.orff >out 2>&1 &
mpi=$!
victim=
tries=0
while [ -z "$victim" ] && [ $tries -lt 200 ]; do
    victim=$(ps -e -o pid= -o args= | awk -v word="$work" -v me="$orff_mpi" '$2 == me && /long\.csv/ { print $1; exit }')
    sleep 0.1
    tries=$((tries + 1))
done
sleep 0.3
[ -n "$victim" ] && kill -9 "$victim" 2>/dev/null || fail "nobody to kill: $(cat out)"
status=0
wait $mpi || status=$?
[ "$status" -ne 0 ] || fail "a rank was killed, and all is well"

ls never* .never* nowhere/never* 2>/dev/null && fail "a file is there"
finish
