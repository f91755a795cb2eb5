# The curl-free kernel cannot learn a divergence-free field.
fit --kernel curl-free -q
rmse
