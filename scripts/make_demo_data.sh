#!/bin/sh
# Writes examples/data/coads_january_atlantic.csv: the January winds of the COADS climatology over the North Atlantic
# (295 to 350 degrees east, 0 to 60 north), from the table month,lon_deg,lat_deg,u_ms,v_ms of that climatology.
#
#   scripts/make_demo_data.sh coads_wind_climatology.csv.gz
#
# COADS is in the public domain. The table holds UWND and VWND of coads_climatology.cdf in Debian's package
# ferret-datasets, one row for every cell with a value.
set -eu
[ $# -eq 1 ] || { echo "usage: scripts/make_demo_data.sh TABLE.csv.gz" >&2; exit 2; }
gzip -dc "$1" | awk -F, '
    NR == 1 { print "lon_deg,lat_deg,u_ms,v_ms"; next }
    $1 == 1 && $2 >= 295 && $2 <= 350 && $3 >= 0 && $3 <= 60 { print $2 "," $3 "," $4 "," $5 }
' >"$(dirname "$0")/../examples/data/coads_january_atlantic.csv"
