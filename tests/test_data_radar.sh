#!/bin/sh
# Currents seen by radar, as CSV and as NetCDF; winds of stations.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/data.sh"

lonlat='--inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat'
# shellcheck disable=SC2086  # lists of words
{
    split "$data/ocean/hfradar_20220221T12.csv.gz"
    for kernel in decomposable div-free+decomposable auto; do check 'HF radar' 0.040 $kernel $lonlat; done
    gzip -dc "$data/stations/surface_wind.csv.gz" | awk -F, 'NR == 1 || /16:00:00/' >stations.csv
    split stations.csv
    for kernel in decomposable helmholtz auto; do check 'stations, 16:00' 2.4 $kernel $lonlat; done
}

# NetCDF, directly.
expect 0 'written' "$orff" fit "$data"/ocean/hfr_*.nc --inputs lon,lat --outputs u,v --geo lonlat --features 100 -o nc.orff

finish
