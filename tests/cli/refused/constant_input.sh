awk 'BEGIN { print "t,depth,a,b"; for (i = 0; i < 40; i++) print i ",5," sin(i / 3) "," sin((i - 2) / 3) }' > flat.csv
orff fit flat.csv --inputs depth --outputs a --wavelength auto -o m.orff || echo $?
orff fit flat.csv --inputs t,depth --outputs a,b --kernel delayed -o m.orff || echo $?
