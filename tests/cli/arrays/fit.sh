# Fit, evaluate and predict with array files, plain and packed.
orff fit X.npy Y.npy --sigma 2 --lambda 1e-8 --features 30 -o pair.orff
gzip -k X.npy Y.npy
orff evaluate pair.orff X.npy.gz Y.npy.gz --json | grep '^  "rmse"'
orff predict pair.orff X.npy -o pair.npy
orff info pair.npy
