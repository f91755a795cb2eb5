# What a reader that knows of no waves would predict without them has a version that it refuses; others keep theirs.
awk 'BEGIN { print "x,y"; for (i = 0; i < 30; i++) print i / 10 "," sin(i) }' >t.csv
version() { orff fit t.csv --inputs x --outputs y --sigma 1 --lambda 1e-3 -q -o m.orff "$@"; grep -ao '"format_version":"[0-9]*"' m.orff; }
version
version --wavelength 0.6
version --wavelength 0.6 --engine features --features 20
