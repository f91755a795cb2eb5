# Kernels for fields want as many inputs as outputs.
fit --inputs x_km --kernel div-free
fit --inputs x_km,y_km,v_ms --outputs u_ms --kernel curl-free
