#!/bin/sh
# orff under mpirun: orff-mpi beside it takes its place; without one all processes end, and one of them says why.
. "$SOURCE_DIR/tests/mpi/common.sh"

field all.csv 1 300
field points.csv 7 40
columns="--inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 1 --features 30 --lambda 1e-4"
mkdir bin alone "a b"
cp "$orff" bin/orff
cp "$orff_mpi" bin/orff-mpi
cp "$orff" alone/orff
ln -s ../bin/orff "a b/linked"

# shellcheck disable=SC2086  # words
"$orff" fit all.csv $columns -o one.orff -q
"$orff" predict one.orff points.csv -o one.csv -q

# The words arrive as they are, also a pattern, a blank and a dollar; through a link; on one process and on several.
sed -n '1p;2,100p' all.csv >'part $1.csv'
sed -n '1p;101,301p' all.csv >'part $2.csv'
for n in 1 3; do
    # shellcheck disable=SC2086
    ranks $n "a b/linked" fit 'part $*.csv' $columns -o "$n.orff" >out 2>&1 </dev/null || fail "on $n processes: $(cat out)"
    [ "$(grep -c ' 300 used' out)" -eq 1 ] || fail "on $n processes: not 300 rows, or not once: $(cat out)"
    "$orff" predict "$n.orff" points.csv -o "$n.csv" -q
    close one.csv "$n.csv" "on $n processes: another result than that of one"
done
ranks 2 "$orff" info one.orff >out 2>&1 || fail "info: $(cat out)" # of the build tree
"$orff" info one.orff >info
cmp -s info out || fail "info on 2 processes is not that of one: $(cat out)"

# Nothing beside it: one says so, nobody writes; alone it works as ever. A word of the PATH is not run.
(
    PATH=$work/bin:$PATH
    # shellcheck disable=SC2086
    refused 3 'mpirun started 3 processes.*libopenmpi-dev' alone/orff fit all.csv $columns -o never.orff
    # shellcheck disable=SC2086
    ranks 1 alone/orff fit all.csv $columns -o alone.orff -q || fail "one process without orff-mpi"
    finish
) || failures=$((failures + 1))
[ ! -e never.orff ] && [ -e alone.orff ] || fail "files: $(ls)"

# The section of the README, as it is pasted into a shell; its first three lines, the set-up, are done here.
mkdir pasted
ln -s "$SOURCE_DIR/examples" pasted/examples
printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPIEXEC" >bin/mpirun
chmod +x bin/mpirun
sed -n '/^## Beyond one machine/,/^## What/s/^    //p' "$SOURCE_DIR/README.md" | sed 1,3d >pasted/commands
(cd pasted && PATH=$work/bin:$PATH sh -e commands >out 2>&1 </dev/null) || fail "the README: $(cat pasted/out)"
grep -q '791 used' pasted/out && [ -s pasted/winds.orff ] || fail "the README: $(cat pasted/out)"

# Tasks that srun has started, and each by itself, are not those of mpirun.
# shellcheck disable=SC2086
(unset OMPI_COMM_WORLD_SIZE MPI_LOCALNRANKS; PMI_SIZE=8 PMI_RANK=3 PMIX_RANK=3 alone/orff fit all.csv $columns -o task.orff -q) || fail "a task of srun"
finish
