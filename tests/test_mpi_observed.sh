#!/bin/sh
# orff-mpi with rows that are not whole: missing outputs, directions, errors. On any number of ranks what orff makes of the moments.
. "$SOURCE_DIR/tests/mpi/common.sh"

# Outputs are missing only in rows 500 to 700: not in all portions, nor for the first and the last rank.
field plain.csv 1 900
awk -F, 'NR == 1 { print "x,y,u,v,along,angle,e1,e2,error"; next } {
    a = (NR * 37) % 360; t = a * 3.14159265358979 / 180
    u = NR > 500 && NR < 700 && NR % 7 == 0 ? "" : $3; v = NR > 500 && NR < 700 && NR % 11 == 0 ? "" : $4
    printf "%s,%s,%s,%s,%.12f,%d,%.12f,%.12f,%.3f\n", $1, $2, u, v, $3 * cos(t) + $4 * sin(t), a, cos(t), sin(t), 0.05 + NR % 5 / 10
}' plain.csv >all.csv
head -n 401 all.csv >part-1.csv
{ head -n 1 all.csv; tail -n +402 all.csv; } >part-2.csv
field points.csv 7 60
sed -i '1s/_km//g' points.csv

# same NAME COUNTS OPTIONS..: on so many ranks, each, what one process makes of it by way of moments.
same() {
    name=$1 counts=$2
    shift 2
    "$orff" moments all.csv --inputs x,y "$@" -o one.moments -q || fail "$name: moments in one process"
    "$orff" fit --from-moments one.moments --lambda 1e-3 -o one.orff -q || fail "$name: one process"
    "$orff" predict one.orff points.csv -o one.csv -q
    for n in $counts; do
        ranks "$n" "$orff_mpi" fit 'part-*.csv' --inputs x,y "$@" --lambda 1e-3 -o many.orff >out 2>&1 </dev/null || fail "$name on $n ranks: $(cat out)"
        grep -q " $rows" out || fail "$name on $n ranks: not $rows: $(cat out)"
        "$orff" predict many.orff points.csv -o "$name.$n.csv" -q
        close one.csv "$name.$n.csv" "$name: $n ranks differ from one process"
    done
}
rows="897 used, 3 dropped"
features="--sigma 1 --features 40"
lattice="--sigma 1 --engine lattice --extent x=-1:1,y=-1:1"
# shellcheck disable=SC2086  # words
{
    same missing "1 3" --outputs u,v --kernel div-free+curl-free $features
    [ "$(grep -c '^40 rows have missing outputs' out)" -eq 1 ] || fail "not 40 rows that miss something: $(cat out)"
    cmp -s missing.1.csv missing.3.csv || fail "missing outputs: other digits on 3 ranks than on 1"
    rows="900 used, 0 dropped"
    same angle 2 --outputs along --direction angle --kernel div-free $features
    same components 4 --outputs along --direction e1,e2 --errors error --kernel div-free $lattice
    rows="897 used, 3 dropped"
    same errors 3 --outputs u,v --errors error --kernel div-free $features
    same lattice 3 --outputs u,v --kernel div-free $lattice
}

# What is automatic is decided on such rows too, on a plane or not, and a file of moments is as that of one process.
for options in "--outputs along --direction angle --geo lonlat" "--outputs u,v --errors error --subsample 200"; do
    for n in 1 3; do
        # shellcheck disable=SC2086
        ranks $n "$orff_mpi" fit all.csv --inputs x,y $options --kernel div-free --features 30 -o auto.orff >out 2>&1 </dev/null || fail "$options: $(cat out)"
        grep -q 'decided on' out || fail "$options: nothing was decided: $(cat out)"
        "$orff" predict auto.orff points.csv -o auto.$n.csv -q
    done
    close auto.1.csv auto.3.csv "$options: 3 ranks decide otherwise than one"
done
# shellcheck disable=SC2086
ranks 2 "$orff_mpi" moments all.csv --inputs x,y --outputs u,v --kernel div-free $features -o two.moments -q || fail "moments on 2 ranks"
"$orff" fit --from-moments two.moments --lambda 1e-3 -o two.orff >out || fail "moments of 2 ranks: $(cat out)"

# Sums alone take such rows, and no checkpoint.
# shellcheck disable=SC2086
{
    refused 2 'line [0-9]+.*the value is missing' "$orff_mpi" fit all.csv --inputs x,y --outputs u,v $features --lambda 1e-3 --solver pcg -o not.orff
    refused 2 'solver: is for whole rows' "$orff_mpi" fit all.csv --inputs x,y --outputs along --direction angle $features --lambda 1e-3 --solver pcg -o not.orff
    refused 2 'checkpoint: is for whole rows' "$orff_mpi" fit all.csv --inputs x,y --outputs u,v --errors error $features --checkpoint c -o not.orff
    refused 2 'the value is missing' "$orff_mpi" fit all.csv --inputs x,y --outputs u,v $features --missing-outputs refuse -o not.orff
    ranks 2 "$orff_mpi" fit all.csv --inputs x,y --outputs u,v $features --missing-outputs drop -o drop.orff >out 2>&1 || fail "drop: $(cat out)"
    grep -q ' 857 used, 43 dropped' out || fail "dropped rows: $(cat out)"
}
[ ! -e not.orff ] || fail "a file is left of what was refused"
finish
