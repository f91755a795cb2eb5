# Not under sanitizers: test_periods.
awk 'BEGIN { print "hour,y"; for (i = 0; i < 200; i++) { h = (i * 7.3) % 48; print h "," sin(h * 6.283185307 / 24) } }' > day.csv
printf 'hour\n0\n24\n-24\n6\n' > times.csv
orff fit day.csv --inputs hour --outputs y --period hour=24 --lambda 1e-6 --quiet -o day.orff
orff predict day.orff times.csv --derive jacobian --quiet -o -
orff info day.orff | grep kernel
orff fit day.csv --inputs hour --outputs y --period hours=24 -o other.orff || echo $?
orff fit day.csv --inputs hour --outputs y --period hour -o other.orff || echo $?
orff fit day.csv --inputs hour --outputs y --period hour=24 --engine features --lambda 1e-6 --quiet -o other.orff
orff info other.orff | grep -E 'kernel|engine'
