# A sum of kernels is weighed by itself: the field is divergence-free.
fit --kernel auto 2>&1 | grep found:
rmse
