# Output matrices from files.
printf '1,0.5\n0.5,1\n' >A.csv
printf '0,1\n1,0\n' >W.csv
printf '1,0.5\n' >bad.csv
fit --sigma 0.7 --output-matrix A.csv 2>&1 | grep written
fit --sigma 0.7 --output-matrix laplacian:W.csv 2>&1 | grep written
fit --sigma 0.7 --output-matrix bad.csv || echo $?
fit --sigma 0.7 --output-matrix nowhere.csv || echo $?
