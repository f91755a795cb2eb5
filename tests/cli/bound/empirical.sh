# Errors are also measured, of a sum too.
orff bound --kernel div-free+decomposable --sigma 1+0.5 --dim 2 --diameter 2 --epsilon 0.5 --empirical 3 | grep -A 1 '^measured'
