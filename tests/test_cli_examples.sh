#!/bin/sh
# The examples of --help work as they stand.
. "$SOURCE_DIR/tests/cli/common.sh"

field all.csv 1 100
sed '1s/.*/x,y,u,v/' all.csv >wind.csv
cp wind.csv held_out.csv
sed -n 1,31p wind.csv >monday.csv
cut -d , -f 1,2 wind.csv >points.csv
awk -F, 'NR == 1 { print $0 ",station" } NR > 1 { print $0 "," NR % 4 }' wind.csv >stations.csv
cut -d , -f 1,2 all.csv | sed -n 1,3p >releases.csv
cp releases.csv found.csv
"$orff" fit all.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --features 60 -q -o currents.orff
awk 'BEGIN { print "t,a,b,c"; for (t = 1; t <= 90; t++) printf "%d,%.6f,%.6f,%.6f\n", t, sin(t), cos(1.3 * t), sin(0.7 * t) + t % 3 / 9 }' >series.csv
cut -d , -f 2-4 series.csv >newest.csv
PATH=$(dirname "$orff"):$PATH
export PATH
for command in fit predict sample drift evaluate var forecast tune info kernel moments merge plan plot view bound; do
    [ "$command" != plot ] || command -v gnuplot >/dev/null || continue
    [ "$command" != merge ] || cp monday.moments tuesday.moments
    "$orff" "$command" --help | sed -n '/^example:$/,/^$/p' | sed '1d;/^$/d' >example.sh
    [ -s example.sh ] || fail "$command has no example"
    sh -e example.sh >out 2>&1 || fail "the example of $command: $(cat example.sh out)"
done
finish
