# Error bars and derived fields. A divergence-free model has no divergence; the curl is that of the derivatives.
orff predict m.orff test.csv --std --derive divergence,curl,potential,stream,jacobian -o all.csv -q
head -n 1 all.csv
orff predict m.orff test.csv --derive curl -o curl.csv -q
orff predict m.orff test.csv --derive vorticity -o vorticity.csv -q
cmp curl.csv vorticity.csv
awk -F, 'function size(x) { return x < 0 ? -x : x }
    NR > 1 { if (size($7) < 1e-9) zero++; if (size($9 - ($17 - $16)) < 1e-9) same++; if ($5 > 0 && $5 < 0.1) small++ }
    END { print zero, "without divergence," , same, "with the curl of the derivatives,", small, "with small error bars" }' all.csv
