# The number of the sample comes first; samples of a divergence-free model have no divergence, and a seed gives the same again.
orff sample m.orff --grid x_km=-0.5:0.5:3,y_km=0:0.5:2 -n 4 --seed 3 --derive divergence -o all.csv -q
head -n 1 all.csv
cut -d , -f 1-3 all.csv | sed -n 2,6p
awk -F, 'NR > 1 { if ($6 < 1e-9 && $6 > -1e-9) zero++ } END { print NR - 1, "rows,", zero, "without divergence" }' all.csv
orff sample m.orff --grid x_km=-0.5:0.5:3,y_km=0 -n 4 --seed 3 --derive divergence -o some.csv -q
awk -F, 'NR == FNR { if (FNR > 1) u[FNR] = $4; next }
    FNR > 1 { difference = $4 - u[FNR]; if (difference < 1e-9 && difference > -1e-9) same++ }
    END { print same, "the same at fewer points" }' all.csv some.csv
orff sample m.orff --grid x_km=-0.5:0.5:3,y_km=0:0.5:2 -n 4 --bare -o all.npy -q
orff info all.npy | sed -n 1p
