# What does not apply is told with the reason, and what remains.
orff bound --kernel curl-free --base matern52 --dim 2 --sigma 1 --diameter 2 --epsilon 0.3
