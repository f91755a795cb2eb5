# A table with the columns of the inputs and of the predictions, a line for each row.
orff predict m.orff test.csv -o p.csv
head -n 1 p.csv
wc -l <p.csv
