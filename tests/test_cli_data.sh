#!/bin/sh
# Real data (ORFF_DATA, or ../shared/data beside the project): everything automatic gives a sensible model of each.
. "$SOURCE_DIR/tests/cli/common.sh"

data=${ORFF_DATA:-$SOURCE_DIR/../shared/data}
[ -d "$data/drifters" ] || { echo "there are no real data in $data"; exit 77; }

# split FILE: every fifth row is held out.
split() {
    case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac | awk 'NR == 1 { print >"train.csv"; print >"held.csv"; next }
        { print >(NR % 5 ? "train.csv" : "held.csv") }'
}

# check NAME LEAST_R2 FEATURES OPTIONS..: fits train.csv, sigma and lambda auto, and looks at the rows held out.
check() {
    name=$1 least=$2 features=$3
    shift 3
    "$orff" fit train.csv "$@" --sigma auto --lambda auto --features "$features" --skip-missing --json -q -o m.orff >f.json ||
        { fail "$name: fit $*"; return; }
    "$orff" evaluate m.orff held.csv --skip-missing --json -q >e.json || { fail "$name: evaluate"; return; }
    # the first r2 of the object is that of all outputs
    score=$(number e.json r2)
    printf '%-28s rmse %-10.5g r2 %-8.4f %5.1f s\n' "$name" "$(number e.json rmse)" "$score" "$(number f.json seconds)"
    less "$least" "$score" "$name"
}

split "$data/drifters/gladfull.csv"
check drifters 0.5 200 --inputs x_km,y_km --outputs u_ms,v_ms
check 'drifters div-free' 0.5 200 --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free
check 'drifters auto' 0.5 200 --inputs x_km,y_km --outputs u_ms,v_ms --kernel auto
split "$data/ocean/hfradar_20220221T12.csv.gz"
check 'HF radar' 0.6 200 --inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat
check 'HF radar auto' 0.6 200 --inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat --kernel auto
gzip -dc "$data/stations/surface_wind.csv.gz" | awk -F, 'NR == 1 || /16:00:00/' >stations.csv
split stations.csv
check 'stations' 0.3 200 --inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat
gzip -dc "$data/piv/soapfilm_1.csv.gz" | awk -F, 'NR == 1 || $5 > 0' >piv.csv
split piv.csv
check 'soap film' 0.9 200 --inputs x_mm,y_mm --outputs u_ms,v_ms
check 'soap film div-free' 0.9 200 --inputs x_mm,y_mm --outputs u_ms,v_ms --kernel div-free
split "$data/magnetic/swarm_Concat_A.csv"
check 'magnetic' 0.1 200 --inputs Latitude,Longitude,Radius --outputs N_res,E_res,C_res
split "$data/multitarget/enb.csv"
check 'buildings' 0.95 200 --inputs 1-8 --outputs Y1,Y2
split "$data/timeseries/macrodata.csv"
check 'macro' 0.9 100 --inputs year,quarter --outputs realgdp,realcons
split "$data/timeseries/wind_ireland.csv"
check 'Irish wind' 0.05 100 --inputs month,day --outputs 4-15
gzip -dc "$data/wind/coads_wind_climatology.csv.gz" | awk -F, 'NR == 1 || $1 == 1' >january.csv
split january.csv
check 'COADS January' 0.8 250 --inputs lon_deg,lat_deg --outputs u_ms,v_ms

# NetCDF, directly.
expect 0 'written' "$orff" fit "$data"/ocean/hfr_*.nc --inputs lon,lat --outputs u,v --geo lonlat --features 100 -o nc.orff
# Images: a few frequencies on the small set; chance is 0.9.
expect 0 'written' "$orff" fit "$data/mnist/t10k-images-idx3-ubyte.gz" "$data/mnist/t10k-labels-idx1-ubyte.gz" --classify \
    --features 150 -o mnist.orff
"$orff" evaluate mnist.orff "$data/mnist/t10k-images-idx3-ubyte.gz" "$data/mnist/t10k-labels-idx1-ubyte.gz" --json -q >e.json
less "$(number e.json error_rate)" 0.15 "MNIST"
finish
