# Standard input and output, and packed files, hold the same as plain files.
orff predict m.orff test.csv -o p.csv -q
orff predict m.orff test.csv -o - -q | cmp - p.csv
orff predict m.orff - -o - -q <test.csv | cmp - p.csv
gzip -k test.csv
orff predict m.orff test.csv.gz -o p.csv.gz -q
gzip -dc p.csv.gz | cmp - p.csv
wc -l <p.csv
