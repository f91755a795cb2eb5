# Of parts with delays or a wavelength the constants are measured; their bases are as good as any.
printf '2,0.9\n0.9,1\n' >A.csv
printf '0,0\n0.7,-0.4\n' >T.csv
bound() { orff bound --dim 2 --sigma 0.8 --diameter 2 --epsilon 0.5 --relative "$@"; }
bound --kernel delayed --outputs 2 --output-matrix A.csv --delays T.csv | grep -E 'epsilon|K\(0\)|E A|proven|measured|infinite'
bound --wavelength 1.5,0 | grep -E 'epsilon|sigma_p\^2|measured'
# What delays leave of K(0), and where a wave is, makes a difference.
printf '0,0\n0.2,-0.4\n' >T.csv
bound --kernel delayed --outputs 2 --output-matrix A.csv --delays T.csv | sed -n 1p
bound --wavelength 1,0 | grep 'sigma_p^2'
