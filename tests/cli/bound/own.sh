# Frequencies of one's own are measured as they are, beside independent ones; and said to be so.
printf '1,0\n0,1\n1,1\n-1,1\n' >w.csv
orff bound --sigma 1 --dim 2 --diameter 2 --epsilon 0.5 --frequencies w.csv --empirical 2 | grep '^measured'
orff kernel --sigma 1 --x 0,0 --z 0,1 --frequencies w.csv | tail -n 1
