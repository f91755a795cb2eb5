# Length scales and features are not free, and data are used already.
moments all.csv --sigma 0.8 -o all.moments -q
orff fit --from-moments all.moments --sigma 2 -o k.orff || echo $?
orff fit --from-moments all.moments --features 10 -o k.orff || echo $?
orff fit all.csv --from-moments all.moments -o k.orff || echo $?
orff moments a.csv --inputs 1-2 --outputs 3-4 --sigma 1 --features 9 --resume -o x.moments || echo $?
[ ! -e k.orff ]
