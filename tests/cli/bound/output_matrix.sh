# The norm of this matrix is 5, so five times the epsilon takes as many features as the identity.
printf 'a,b\n3,2\n2,3\n' >A.csv
needed() { orff bound --dim 2 --outputs 2 --sigma 1 --diameter 2 "$@" --json | grep '^  "features_needed"'; }
needed --epsilon 0.1 --relative >one
needed --epsilon 0.5 --output-matrix A.csv | cmp - one
cat one
