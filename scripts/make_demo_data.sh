#!/bin/sh
# Writes two tables to examples/data, taken from a table of the COADS climatology with month,lon_deg,lat_deg,u_ms,v_ms:
# coads_january_atlantic.csv, the January winds over the North Atlantic (295 to 350 degrees east, 0 to 60 north), and
# coads_arabian_sea.csv, the winds of all months over the Arabian Sea (45 to 78 east, 1 to 26 north).
#
#   scripts/make_demo_data.sh coads_wind_climatology.csv.gz
#
# COADS is in the public domain. The input has UWND and VWND of coads_climatology.cdf from Debian's package
# ferret-datasets, one row for every cell with a value.
set -eu
[ $# -eq 1 ] || { echo "usage: scripts/make_demo_data.sh TABLE.csv.gz" >&2; exit 2; }
data=$(dirname "$0")/../examples/data
gzip -dc "$1" | awk -F, '
    NR == 1 { print "lon_deg,lat_deg,u_ms,v_ms"; next }
    $1 == 1 && $2 >= 295 && $2 <= 350 && $3 >= 0 && $3 <= 60 { print $2 "," $3 "," $4 "," $5 }
' >"$data/coads_january_atlantic.csv"
gzip -dc "$1" | awk -F, 'NR == 1 || $2 >= 45 && $2 <= 78 && $3 >= 1 && $3 <= 26' >"$data/coads_arabian_sea.csv"
