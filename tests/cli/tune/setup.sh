# A noisy field to learn, 300 rows.
# shellcheck shell=sh
field train.csv 1 300
field test.csv 301 500
tune() { orff tune train.csv --inputs x_km,y_km --outputs u_ms,v_ms --features 60 -o m.orff "$@"; }
