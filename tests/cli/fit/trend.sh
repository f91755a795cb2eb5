# A slope goes on beyond the rows, is told with its error, and is in the derivatives; one input may be named.
awk 'BEGIN { print "x,time,u"; for (i = 0; i < 150; i++) { x = (i * 0.618) % 1; t = 5 * ((i * 0.7548) % 1); print x "," t "," 3 * t + 0.3 * sin(8 * x) + 0.01 * sin(1000 * i) } }' > rows.csv
printf 'x,time\n0,20\n' > beyond.csv
orff fit rows.csv --inputs x,time --outputs u --trend time --quiet -o trend.orff
orff predict trend.orff beyond.csv --derive jacobian --quiet -o - | cut -d, -f1-3,5
orff info trend.orff | grep -A 1 trend
orff info trend.orff --json | tr -d ' \n' | grep -o '"trend":{"kind":"[a-z]*"'
orff fit rows.csv --inputs x,time --outputs u --trend linear --quiet --json -o linear.orff | grep -c coefficients
orff fit rows.csv --inputs x,time --outputs u --trend tim -o other.orff || echo $?
orff fit rows.csv --inputs x,time --outputs u --trend linaer -o other.orff || echo $?
orff fit rows.csv --inputs x,time --outputs u --trend linear --loss huber -o other.orff || echo $?
orff fit rows.csv --inputs x,time --outputs u --trend linear --memory 0 --quiet -o other.orff || echo $?
