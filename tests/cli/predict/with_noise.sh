# A new measurement has the error of the field and the noise: the difference of their squares is the same in all rows.
orff predict m.orff test.csv --std --std-with-noise --quiet -o - >out.csv
sed -n 1p out.csv
awk -F, 'NR > 1 { n = $7 * $7 - $5 * $5; if (NR == 2) first = n; if (n <= 0 || (n - first) ^ 2 > 1e-12 * first ^ 2) wrong++ }
         END { print NR - 1, "rows,", wrong + 0, "wrong" }' out.csv
orff predict m.orff test.csv --std-with-noise --derive curl --quiet -o - | sed -n 1p
