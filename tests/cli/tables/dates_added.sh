# Moments of two files with dates count from one date, so that they can be added.
for day in 1 2; do
    awk -v day=$day 'BEGIN { print "time,u"; for (i = 0; i < 24; i++) printf "2024-05-%02dT%02d:00:00Z,%.6f\n", day, i, sin((24 * day + i) / 5) }' >$day.csv
    orff moments $day.csv --inputs time --outputs u --sigma 5 --features 30 -q -o $day.moments
done
orff merge 1.moments 2.moments -q -o both.moments
orff fit --from-moments both.moments --lambda 1e-6 -q -o m.orff
orff info m.orff | grep 'inputs  '
orff evaluate m.orff 2.csv --json -q | awk '/"rmse"/ { sub(",", "", $2); print ($2 < 0.1 ? "close" : "far"); exit }'
