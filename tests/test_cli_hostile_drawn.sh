#!/bin/sh
# Texts that mean harm are drawn in a picture, and nothing runs.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/hostile.sh"
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is not installed"; exit 77; }

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
harm svg svg/*.svg
finish
