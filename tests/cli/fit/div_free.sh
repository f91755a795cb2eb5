# Everything automatic: near the noise.
fit --kernel div-free
rmse
