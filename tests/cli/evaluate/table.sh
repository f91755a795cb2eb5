# Errors, and how right the error bars are, for each output and for all.
learn -o m.orff
orff evaluate m.orff test.csv
