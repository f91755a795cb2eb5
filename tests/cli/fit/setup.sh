# A noisy field to learn, 300 rows, and 200 that are held out. The noise is 0.1 / sqrt(12) = 0.029.
# shellcheck shell=sh
field train.csv 1 300
field test.csv 301 500
fit() { orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 60 -o m.orff "$@"; }
rmse() { orff evaluate m.orff test.csv --json --quiet | grep '^  "rmse"'; }
