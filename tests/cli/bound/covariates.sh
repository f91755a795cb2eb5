# Inputs outside of the field's space count in the dimension, and in the bounds.
bound() { orff bound --kernel div-free --dim 3 --outputs 2 --sigma 1,1,0.3 --diameter 2 --epsilon 0.5 --relative "$@"; }
bound --covariates 3 | grep -E 'd = 3|sigma_p|proven'
bound --covariates 1 --sigma 0.3,1,1 | grep 'sigma_p^2'
bound --covariates 1 | grep 'sigma_p^2'
bound || echo $?
