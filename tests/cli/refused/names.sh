# Names that do not exist: columns, kernels, bases.
fit --outputs u_m,v_ms
fit --kernel divfree
fit --base mattern52
fit --kernel ''
fit --kernel div-free+curl-free --base gaussian+
for wrong in + div-free+ +div-free div-free++curl-free; do fit --kernel "$wrong"; done
