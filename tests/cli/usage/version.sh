# The number of the version, and the libraries it runs with.
orff --version >version
sed -n '1s/[0-9][0-9]*/N/gp' version
grep -c BLAS version
