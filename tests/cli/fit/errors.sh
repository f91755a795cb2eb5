# Errors are told for each output with its unit; cross-validated ones where there was something to choose.
fit --kernel div-free --sigma 0.7 2>&1 | grep -e RMSE -e _ms
fit --kernel div-free --sigma 0.7 --lambda 1e-5 2>&1 | grep -e RMSE -e _ms
