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

# Particles in the currents of the radar, through the prediction and samples: they spread, and none is lost where data are.
printf 'lon_deg,lat_deg\n-73.5,39\n-72,40\n-75,35\n' >releases.csv
"$orff" fit "$data/ocean/hfradar_20220221T12.csv.gz" --inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat --kernel helmholtz \
    --features "$features" -q -o radar.orff || fail 'radar: fit'
expect 0 '3 particles, 10 samples, 24 hours' "$orff" drift radar.orff --from releases.csv --hours 24 --every 6 --samples 10 -o tracks.csv
awk -F, 'NR > 1 && $3 == 0 && $9 < last[$2] { bad++ } NR > 1 && $3 == 0 { last[$2] = 0.5 * $9; rows++; if ($12 != 10) bad++ }
    END { exit bad || rows != 15 || last[1] <= 0 }' tracks.csv || fail "radar: tracks do not spread: $(cat tracks.csv)"

# NetCDF, directly.
expect 0 'written' "$orff" fit "$data"/ocean/hfr_*.nc --inputs lon,lat --outputs u,v --geo lonlat --features 100 -o nc.orff

finish
