# One field in many files: each must be learned as the plain table is.
# shellcheck shell=sh
field plain.csv 1 60
fit() { orff fit "$@" --features 30 --sigma 0.7 --lambda 1e-3 -o m.orff; }
rmse() { orff evaluate m.orff "$@" --json --quiet | grep '^  "rmse"'; }
