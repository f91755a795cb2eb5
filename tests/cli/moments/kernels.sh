# Kernel and noise are free when moments are there.
moments all.csv --sigma 0.8 -o all.moments -q
fit() { orff fit --from-moments all.moments -o k.orff "$@" 2>&1 | grep -e '^  kernel' -e ^found: -e '^  written'; }
fit
fit --lambda 1e-5
fit --kernel curl-free
fit --kernel helmholtz --mix 0.2
fit --kernel curl-free+div-free --weight auto
orff moments all.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free+decomposable --sigma 0.7+0.4 --features 50 -o sum.moments 2>&1 |
    grep -o 'sigma [^,]*'
