#!/bin/sh
# The examples of --help work as they stand.
. "$SOURCE_DIR/tests/cli/common.sh"

field all.csv 1 100
sed '1s/.*/x,y,u,v/' all.csv >wind.csv
cp wind.csv held_out.csv
cp wind.csv monday.csv
cut -d , -f 1,2 wind.csv >points.csv
PATH=$(dirname "$orff"):$PATH
export PATH
for command in fit predict evaluate tune info kernel moments merge plan plot bound; do
    [ "$command" != plot ] || command -v gnuplot >/dev/null || continue
    [ "$command" != merge ] || cp monday.moments tuesday.moments
    "$orff" "$command" --help | sed -n '/^example:$/,/^$/p' | sed '1d;/^$/d' >example.sh
    [ -s example.sh ] || fail "$command has no example"
    sh -e example.sh >out 2>&1 || fail "the example of $command: $(cat example.sh out)"
done
finish
