# Moments of a lattice, made of parts that share it, are those of all rows: by the same extent, or like one of them.
extent='--extent x_km=-1:1,y_km=-1:1'
# shellcheck disable=SC2086
for name in a all; do lattice $name.csv --engine lattice --kernel div-free --sigma 0.8 $extent -o $name.moments; done
for name in b c; do lattice $name.csv --like a.moments -o $name.moments; done
orff merge a.moments b.moments c.moments -o sum.moments
predictions all.moments >all.out
predictions sum.moments >sum.out
same all.out sum.out
orff merge sum.moments --subtract b.moments --subtract c.moments -o again.moments
predictions a.moments >a.out
predictions again.moments >again.out
same a.out again.out
