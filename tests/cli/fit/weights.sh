# Weights of the rows, from a column.
awk -F, 'NR == 1 { print $0 ",w"; next } { print $0 ",2" }' train.csv >weighted.csv
mv weighted.csv train.csv
fit --sigma 0.7 --weights w 2>&1 | grep written
rmse
