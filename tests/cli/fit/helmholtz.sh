# The mixture of both, its share found.
fit --kernel helmholtz --mix auto --sigma 0.7 2>&1 | grep '^  kernel'
rmse
