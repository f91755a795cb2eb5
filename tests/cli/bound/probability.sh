# The probability of an error above epsilon: the bound as printed says nothing where the corrected one does.
orff bound --kernel div-free --dim 2 --sigma 1 --diameter 2.828 --epsilon 0.3 --features 20000 --json | grep -e '^  "printed"' -e '^  "corrected"'
