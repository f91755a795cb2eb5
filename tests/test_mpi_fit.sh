#!/bin/sh
# orff-mpi: files that ranks share, and results that do not depend on how many there are.
. "$SOURCE_DIR/tests/mpi/common.sh"

field all.csv 1 900
head -n 1 all.csv >header
split_rows() { { cat header; sed -n "$2,$3p" all.csv; } >"$1"; }
split_rows part-1.csv 2 90
split_rows part-2.csv 91 700
split_rows part-3.csv 701 703
split_rows part-4.csv 704 901
printf 'part-1.csv\npart-2.csv\n\npart-3.csv\npart-4.csv\n' >list
mkdir packed
cp part-*.csv packed
gzip packed/part-2.csv
field points.csv 7 60
columns="--inputs x_km,y_km --outputs u_ms,v_ms"

# on N NAME OPTIONS..: a fit on N ranks, and its predictions in NAME.N.csv.
on() {
    count=$1 name=$2
    shift 2
    ranks "$count" "$orff_mpi" fit "$@" -o "$name.$count.orff" >out 2>&1 </dev/null || fail "$name on $count ranks: $(cat out)"
    grep -q " $rows used" out || fail "$name on $count ranks: not $rows rows: $(cat out)"
    # shellcheck disable=SC2086  # words
    "$orff" predict "$name.$count.orff" $points -o "$name.$count.csv" -q || fail "$name on $count ranks predicts nothing"
}
same_on() { # RANKS NAME OPTIONS..: the same on one rank and on these
    list=$1 name=$2
    shift 2
    on 1 "$name" "$@"
    for n in $list; do
        on "$n" "$name" "$@"
        close "$name.1.csv" "$name.$n.csv" "$name: $n ranks differ from one"
    done
}

rows=900 points=points.csv
# A system that makes much of rounding: on every number of ranks. What follows has other rows or another way to the sums, and is on
# one number of ranks, by turns. Starts are what this test costs: with sanitizers it is one number here too.
several="2 3 4"
[ -z "${SANITIZED:-}" ] || several=4
features="--kernel div-free+curl-free --sigma 2 --features 40"
# shellcheck disable=SC2086  # words
{
    same_on "$several" one all.csv $columns $features
    same_on "3" lattice 'part-*.csv' $columns --engine lattice --kernel div-free --sigma 1
    points="points.csv --std" # of more waves than a Cholesky factor is for
    same_on "3" wide 'part-*.csv' $columns --engine lattice --kernel div-free --sigma 0.15 --lambda 1e-4
    points=points.csv
    pieces=pieces.3
    if ranks 1 "$orff_mpi" fit all.csv $columns $features --lambda 1e-3 --spread -o try.orff >out 2>&1; then
        same_on "2" spread all.csv $columns $features --lambda 1e-3 --spread
    else
        grep -q 'no ScaLAPACK' out || fail "--spread: $(cat out)"
        echo "no ScaLAPACK: --spread was not tested"
        pieces=
    fi
}

# The same rows in other files are rounded in other ways: a system that makes little of it.
features="--kernel div-free --sigma 1 --features 40 --lambda 1e-4"
# shellcheck disable=SC2086
{
    same_on "3" whole all.csv $columns $features
    same_on "3" parts 'part-*.csv' $columns $features
    same_on "4" listed @list $columns $features
    same_on "3" packed 'packed/*' $columns $features
    [ -z "$pieces" ] || same_on "3" pieces all.csv $columns $features --spread
    "$orff" moments all.csv $columns --kernel div-free --sigma 1 --features 40 -o all.moments -q
    "$orff" fit --from-moments all.moments --lambda 1e-4 -o plain.orff -q
    ranks 3 "$orff_mpi" moments all.csv $columns --kernel div-free --sigma 1 --features 40 -o shared.moments -q || fail "moments on 3 ranks"
    "$orff" fit --from-moments shared.moments --lambda 1e-4 -o shared.orff -q
}
for name in plain shared; do "$orff" predict $name.orff points.csv -o $name.csv -q; done
for name in whole.3 parts.3 listed.4 packed.3 $pieces shared; do close plain.csv $name.csv "$name differs from what orff makes of it"; done

# Iterative solvers sweep the rows where they are: what one process finds.
features="--kernel div-free --sigma 1 --features 60 --lambda 1e-4"
# shellcheck disable=SC2086
for solver in pcg lsmr; do
    "$orff" fit all.csv $columns $features --solver $solver --residual 1e-12 --engine features --scale-inputs no --scale-outputs no -o plain.orff -q
    "$orff" predict plain.orff points.csv -o plain.csv -q
    for n in $([ $solver = pcg ] && echo 1 2 || echo 3); do
        on $n $solver all.csv $columns $features --solver $solver
        grep -Eq "solver +$solver\$" out || fail "$solver on $n ranks: not by it: $(cat out)"
        close plain.csv $solver.$n.csv "$solver on $n ranks differs from one process"
    done
done
# shellcheck disable=SC2086
{
    refused 2 'solver: needs --lambda' "$orff_mpi" fit all.csv $columns --sigma 1 --features 30 --solver pcg -o not.orff
    refused 2 'sgd is not for rows' "$orff_mpi" fit all.csv $columns $features --solver sgd -o not.orff
    refused 2 'checkpoint.*no effect with --solver' "$orff_mpi" fit all.csv $columns $features --solver pcg --checkpoint c -o not.orff
    refused 2 'no effect with --spread' "$orff_mpi" fit all.csv $columns $features --solver pcg --spread -o not.orff
    for word in groups noise-by group-effect coast; do # orff fit has them
        refused 2 "fit: --$word is not available under mpirun; run orff fit without" "$orff_mpi" fit all.csv $columns --$word x_km -o not.orff
    done
    refused 2 'fit: --drop-outliers: is not available under mpirun' "$orff_mpi" fit all.csv $columns $features --solver pcg --drop-outliers yes -o not.orff
    refused 2 '"--wieghts"; did you mean "--weights"' "$orff_mpi" fit all.csv $columns --wieghts x_km -o not.orff
}
[ ! -e not.orff ] || fail "a file is left of what was refused"

# Classes, of which no file has all: the model of one process.
awk -F, 'NR == 1 { print "x_km,y_km,which"; next } { print $1 "," $2 "," ($1 > 0.3 ? "right" : $2 > 0 ? "top" : "rest") }' all.csv | sort -t, -k3 -r >classes.csv
{ head -n 1 classes.csv; grep right classes.csv; } >class-1.csv
{ head -n 1 classes.csv; grep -v -e right -e which classes.csv; } >class-2.csv
classes="--inputs x_km,y_km --outputs which --classify --sigma 1 --features 30 --lambda 1e-3"
# shellcheck disable=SC2086
{
    "$orff" fit classes.csv $classes --engine features --scale-inputs no --scale-outputs no -o plain.orff -q
    "$orff" predict plain.orff points.csv -o plain.csv -q
    on 3 classes 'class-?.csv' $classes
    cmp plain.csv classes.3.csv || fail "classes on 3 ranks: others than those of one process"
    [ "$(cut -d, -f3 plain.csv | sort -u | wc -l)" -ge 3 ] || fail "not all classes are predicted: $(head plain.csv)"
    refused 2 'classify: has no way without moments' "$orff_mpi" fit classes.csv $classes --solver pcg -o not.orff
}

# What is automatic is decided on rows of all ranks.
rows=300
split_rows few.csv 2 301
# shellcheck disable=SC2086
same_on "3" auto few.csv $columns --kernel div-free --features 30

# So is a kernel, and the centre of a plane, for which one process has the same rows.
rows=100
split_rows fewer.csv 2 101
# shellcheck disable=SC2086
same_on "3" kernel fewer.csv $columns --kernel auto --features 30
ranks 2 "$orff_mpi" fit few.csv $columns --kernel div-free --subsample 50 --features 30 -o some.orff >out 2>&1 || fail "--subsample: $(cat out)"
grep -q 'decided on 50 rows' out || fail "--subsample 50: $(cat out)"
rows=300
plane="--geo lonlat --kernel div-free+curl-free --sigma 100 --features 30 --lambda 1e-4"
# shellcheck disable=SC2086
same_on "3" plane few.csv $columns $plane
# shellcheck disable=SC2086
"$orff" fit few.csv $columns $plane --engine features --scale-inputs no --scale-outputs no -o plain.orff -q 2>/dev/null
"$orff" predict plain.orff points.csv -o plain.csv -q
close plain.csv plane.3.csv "rows in degrees: another result than that of one process"

# Arrays and NetCDF, which predict has written; also on ranks.
for n in 1 3; do
    ranks $n "$orff_mpi" predict one.1.orff --grid x_km=0:4:31,y_km=0:3:29 -o grid.$n.npy -q || fail "a grid on $n ranks"
    ranks $n "$orff_mpi" predict one.1.orff 'part-*.csv' --std -o points.$n.npy -q || fail "points on $n ranks"
done
"$orff" predict one.1.orff all.csv --std -o points.npy -q
for file in points.1.npy points.3.npy; do
    [ "$(wc -c <$file)" -eq "$(wc -c <points.npy)" ] || fail "$file has another size"
done
# Files that rank 0 writes: rows in their order, on grids of several turns too; one rank prints the JSON.
"$orff" predict one.1.orff all.csv --std -o one_points.csv -q
"$orff" predict one.1.orff --grid x_km=0:4:310,y_km=0:3:290 -o one_grid.csv -q
for n in 1 3; do
    ranks $n "$orff_mpi" predict one.1.orff 'part-*.csv' --std -o points.$n.csv --json >json.$n || fail "points to CSV on $n ranks"
    close one_points.csv points.$n.csv "points to CSV on $n ranks: other predictions than those of one process"
    [ "$(grep -c '"n": 900' json.$n)" -eq 1 ] || fail "the JSON of $n ranks: $(cat json.$n)"
    ranks $n "$orff_mpi" predict one.1.orff --grid x_km=0:4:310,y_km=0:3:290 -o - -q >grid.$n.csv || fail "a grid to CSV on $n ranks"
    [ "$(wc -l <grid.$n.csv)" -eq 89901 ] || fail "a grid to CSV on $n ranks: $(wc -l <grid.$n.csv) lines"
    close one_grid.csv grid.$n.csv "a grid to CSV on $n ranks: other predictions than those of one process"
done
rows=899 points="grid.1.npy --inputs 1"
same_on "4" arrays grid.3.npy --inputs 1 --outputs 2 --sigma 1 --features 20
points=grid.1.npy
same_on "2" pairs grid.1.npy grid.3.npy --sigma 1 --features 20
"$orff" predict one.1.orff --grid x_km=0:4:31,y_km=0:3:29 -o grid.nc -q
if "$orff" fit grid.nc --inputs x_km,y_km --outputs u_ms --sigma 1 --features 20 -o try.orff -q 2>/dev/null; then
    points=points.csv
    same_on "2" slabs grid.nc --inputs x_km,y_km --outputs u_ms --sigma 1 --features 20
    # Rows with holes are counted once, by more portions than there are slabs.
    "$orff" predict one.1.orff --grid x_km=0:12:9,y_km=0:3:5 --mask std=0.5 -o holes.nc -q
    "$orff" fit holes.nc --inputs x_km,y_km --outputs u_ms --sigma 1 --features 20 --skip-missing -o try.orff >plain 2>&1
    ranks 2 "$orff_mpi" fit holes.nc --inputs x_km,y_km --outputs u_ms --sigma 1 --features 20 --skip-missing -o try.orff >out 2>&1 ||
        fail "a grid with holes: $(cat out)"
    grep -q '[1-9][0-9]* dropped' plain && grep -qF "$(grep ' dropped' plain)" out || fail "a grid with holes: $(cat plain out)"
    ranks 3 "$orff_mpi" predict one.1.orff --grid x_km=0:4:31,y_km=0:3:29 -o together.nc -q || fail "a grid to NetCDF on 3 ranks"
    on 2 together together.nc --inputs x_km,y_km --outputs u_ms --sigma 1 --features 20
    close slabs.2.csv together.2.csv "a grid to NetCDF on 3 ranks: another than that of one process"
fi
ls ./*.tmp* ./.*.tmp* 2>/dev/null && fail "temporary files are left"
finish
