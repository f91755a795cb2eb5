# What must be there.
orff bound --dim 2 --sigma 1 --diameter 2 || echo $?
orff bound --sigma 1 --diameter 2 --epsilon 1 || echo $?
orff bound --dim 2 --diameter 2 --epsilon 1 || echo $?
