# What is subtracted is forgotten.
moments all.csv --sigma 0.8 -o all.moments -q
moments b.csv --sigma 0.8 -o b.moments -q
orff merge all.moments --subtract b.moments -o forgotten.moments
{ cat a.csv; tail -n +2 c.csv; } >never.csv
moments never.csv --sigma 0.8 -o never.moments -q
predictions forgotten.moments >forgotten.out
predictions never.moments >never.out
same forgotten.out never.out
