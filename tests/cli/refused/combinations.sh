# Options that do not go together.
fit --mix 0.3
fit --covariates z
fit --kernel div-free+auto
fit --kernel auto --sigma 1
fit --kernel curl-free --base laplace --sigma 1
