# The kernel without any structure, everything automatic.
fit 2>&1 | grep 'length scale'
rmse
