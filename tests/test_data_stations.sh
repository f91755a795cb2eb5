#!/bin/sh
# Winds of stations that each read a little high or low: with an offset for each, others are predicted better.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/data.sh"

gzip -dc "$data/stations/surface_wind.csv.gz" |
    awk -F, 'NR == 1 { print >"known.csv"; print >"new.csv" }
        NR > 1 && $3 > -84 && $3 < -77 && $4 > 35 && $4 < 41 {
            if (!($1 in turn)) turn[$1] = n++ % 5
            print >(turn[$1] == 0 ? "new.csv" : "known.csv")
        }'
# error OPTION..: of the components at stations that were not seen.
error() {
    "$orff" fit known.csv --geo lonlat --inputs lon_deg,lat_deg,time_utc --outputs u_ms,v_ms -q -o m.orff "$@" || return 1
    "$orff" evaluate m.orff new.csv --outputs u_ms,v_ms --json -q | sed -n 's/^  "rmse": \([0-9.]*\).*/\1/p'
}
without=$(error) && with=$(error --group-effect station) || exit 1
echo "error at new stations: $without m/s, with offsets $with"
awk -v a="$without" -v b="$with" 'BEGIN { exit !(b > 0.5 && b < 0.97 * a) }' || { echo "offsets do not help"; exit 1; }
finish
