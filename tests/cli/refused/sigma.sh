# Length scales that are no numbers, not positive, or too many.
fit --sigma 0
fit --sigma 1,2,3
fit --sigma 1+2
for wrong in '' , 1, ,1 1,,2 1+ 1x 1,2x nan inf 1e999 -1 0x10; do fit --sigma "$wrong"; done
