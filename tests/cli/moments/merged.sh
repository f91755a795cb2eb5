# Moments of parts, added, are those of all rows.
for name in a b c all; do moments $name.csv --sigma 0.8 -o $name.moments; done
orff merge a.moments b.moments c.moments -o sum.moments
predictions all.moments >all.out
predictions sum.moments >sum.out
same all.out sum.out
