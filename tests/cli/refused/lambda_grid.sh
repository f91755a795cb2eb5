# Grids of noise levels that are not LO:HI:COUNT.
for wrong in 1 1:2 1:2: 1: : ::  1:2:3:4 1:2:3x 1::3 :1:2 0:1:3 1:1:3 2:1:3 1:2:1 1:2:2.5 1:2:1e9 nan:1:3 1:inf:3 1:1e999:3 '1: 2:3'; do
    fit --lambda-grid "$wrong"
done
