# What cannot be.
orff fit stations.csv --inputs x,y --outputs u --folds-by groups -o m.orff || echo $?
orff fit stations.csv --inputs x,y --outputs u --groups station,hour -o m.orff || echo $?
orff fit stations.csv --inputs x,y --outputs u --groups nothing -o m.orff || echo $?
