# Features needed on the cube [-1,1]^d, sigma 1, probability 0.95: the table of docs/bounds.md.
needed() { orff bound "$@" --sigma 1 --relative --json | grep -e '"printed": {' -e '"rigorous": {' -e '"features_needed"'; }
needed --kernel decomposable --outputs 2 --dim 2 --diameter 2.8284271247461903 --epsilon 0.1
needed --kernel curl-free --outputs 4 --dim 4 --diameter 4 --epsilon 0.3
needed --kernel div-free --outputs 4 --dim 4 --diameter 4 --epsilon 0.1
