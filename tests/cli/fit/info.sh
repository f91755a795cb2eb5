# What is in a model and in a table.
fit --kernel div-free --quiet
orff info m.orff | grep -e inputs -e outputs -e kernel
orff info m.orff --json | grep '"kind"'
orff info train.csv
orff info train.csv --json | grep '"kind"'
orff info nowhere || echo $?
