# A model of a field, and rows that it has not seen.
# shellcheck shell=sh
field train.csv 1 300
field test.csv 301 400
learn() { orff fit train.csv --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --sigma 0.8 --quiet "$@"; }
