# Weights of a sum, found.
fit --kernel div-free+decomposable --sigma 0.8+0.4 --weight auto 2>&1 | grep found:
rmse
