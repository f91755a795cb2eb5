# Moments of other length scales, and models, cannot be added.
moments a.csv --sigma 0.8 -o a.moments -q
moments b.csv --sigma 0.9 -o other.moments -q
orff fit --from-moments a.moments -o a.orff -q
orff merge a.moments other.moments -o no.moments || echo $?
orff merge a.orff -o no.moments || echo $?
[ ! -e no.moments ]
