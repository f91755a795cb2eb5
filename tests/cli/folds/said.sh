# Fit says which rows were left out; a column may be an input and tell groups too.
orff fit stations.csv --inputs x,y --outputs u --sigma 0.2 --groups station -o m.orff 2>&1 | grep 'RMSE\|intervals'
orff fit stations.csv --inputs x,y,hour --outputs u --sigma 0.2,0.2,20 --groups hour -o m.orff 2>&1 | grep 'RMSE\|intervals'
orff tune stations.csv --inputs x,y --outputs u --sigma 0.1 --sigma 0.2 --groups station -o m.orff --json --quiet | told
