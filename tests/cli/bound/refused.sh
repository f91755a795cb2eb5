# What is out of range, and what does not fit together.
printf 'a,b\n3,2\n2,3\n' >A.csv
bound() { orff bound --dim 2 --sigma 1 --diameter 2 --epsilon 0.1 "$@" || echo $?; }
bound --probability 1
bound --epsilon -1
bound --empirical many
bound --kernel curl-free --outputs 3
bound --m -1
bound --output-matrix covariance
bound --kernel curl-free --output-matrix A.csv
bound --kernel curl-free --base laplace
bound --weight 0
# A frequency for each of two parts is too few for a bound, whatever the base is.
orff bound --kernel div-free@1+decomposable@2 --dim 2 --diameter 2 --epsilon 0.3 --features 2 || echo $?
