# A noisy divergence-free field in whole rows, and what is seen of it.
# shellcheck shell=sh
field plain.csv 1 300
field held.csv 301 400
fit() { orff fit "$@" --sigma 0.7 --lambda 1e-4 -q -o m.orff; }
rmse() { orff evaluate m.orff held.csv --outputs u_ms,v_ms --json --quiet | grep '^  "rmse"'; }
