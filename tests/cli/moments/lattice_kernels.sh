# One pass serves every rule, base, lambda and length scale of its range; what is not given is chosen.
# Not under sanitizers: test_lattice_moments learns the same.
lattice all.csv --engine lattice --sigma-range 0.5:1.6 -o all.moments -q
fit() { orff fit --from-moments all.moments -o k.orff "$@" 2>&1 | grep -e '^  kernel' -e ^orff: -e '^  written' || true; }
fit --kernel div-free
fit --kernel div-free --sigma 0.9
fit --kernel curl-free --sigma 1.5 --lambda 1e-3
fit --base matern52 --sigma 1,1.2 --lambda 1e-3
fit --kernel div-free+curl-free --sigma 1+1.5 --lambda 1e-3
fit --sigma 0.3
fit --engine features
