# The best of four candidates is the kernel that fits the field, with the errors to match.
tune --kernel curl-free --kernel div-free --sigma 0.3 --sigma 0.8
orff info m.orff | grep kernel
orff evaluate m.orff test.csv --json -q | grep '^  "rmse"'
