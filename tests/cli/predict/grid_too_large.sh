# A mistake of many zeros is refused before any work, with what it would take; the old file stays.
echo old >g.csv
predict() {
    orff predict m.orff "$@" 2>err || echo $?
    sed 's/ GB .*; ask/ GB; ask/' err >&2 # what this machine has
}
for out in g.csv g.csv.gz new.npy new.nc -; do predict --grid x_km=0:1:1000000,y_km=0:1:1000000 -o $out; done
predict --grid x_km=0:1:1000000000,y_km=0:1:1000000000 -o g.csv
cat g.csv
ls
