# Measured errors are below what is proven, and those that fit would draw are smaller.
orff bound --kernel div-free --dim 2 --sigma 1 --diameter 2.828 --epsilon 0.5 --features 300 --empirical 10 --json | grep -e as_fit_draws -e quantile
