# Two halves on the same frequencies need as many features as the whole; sums of scales have a proven number too; constants of
# the user's own count.
needed() { orff bound --dim 2 --diameter 2 --epsilon 0.3 --relative "$@" --json | grep '^  "features_needed"'; }
needed --kernel curl-free --sigma 1 >whole
needed --kernel curl-free@1+curl-free@1 >halves
python3 -c 'a, b = (float(open(f).read().split(": ")[1].strip(", \n")) for f in ("whole", "halves")); print(abs(a / b - 1) < 1e-3)'
orff bound --dim 2 --diameter 2 --epsilon 0.3 --relative --kernel div-free@1+decomposable@0.5 --json | grep '^  "best"'
needed --sigma 1 --b 5 --m 6 --sigma-p 2 >more
needed --sigma 1 >one
cmp -s more one || echo other
