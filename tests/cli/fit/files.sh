# Files that cannot be written or read.
mkdir closed
printf 'not a model at all' >junk
orff fit train.csv --inputs 1-2 --outputs 3-4 --sigma 1 --features 20 -o nowhere/m.orff || echo $?
orff fit train.csv --inputs 1-2 --outputs 3-4 --sigma 1 --features 20 -o closed || echo $?
orff evaluate junk test.csv || echo $?
orff fit nowhere.csv --outputs u -o m.orff || echo $?
