# A base too rough for the usual rate.
orff bound --kernel curl-free --base matern32 --dim 2 --sigma 1 --diameter 2 --epsilon 0.3
