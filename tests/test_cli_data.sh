#!/bin/sh
# Real data (ORFF_DATA, or ../shared/data beside the project), a fifth of the rows held out, sigma and lambda automatic.
# A kernel for fields must not be worse on them than the decomposable one by more than 5 %, and the automatic one not worse
# by more than that than the best of the others: the root mean square error of n rows and p outputs is itself known to
# 1 / sqrt(2 n p), which is 3.5 % for 200 rows of two. No error may be more than 15 %
# above the one written here, which was measured with 200 frequencies.
#
# ORFF_DATA_FEATURES=auto makes the table of docs/data.md with the default number of frequencies, which takes minutes and
# is told, not judged.
. "$SOURCE_DIR/tests/cli/common.sh"

data=${ORFF_DATA:-$SOURCE_DIR/../shared/data}
[ -d "$data/drifters" ] || { echo "there are no real data in $data"; exit 77; }
features=${ORFF_DATA_FEATURES:-200}
export OMP_NUM_THREADS="${ORFF_DATA_THREADS:-2}" GOMP_SPINCOUNT=100

# split FILE: every fifth row is held out.
split() {
    case $1 in *.gz) gzip -dc "$1" ;; *) cat "$1" ;; esac | awk 'NR == 1 { print >"train.csv"; print >"held.csv"; next }
        { print >(NR % 5 ? "train.csv" : "held.csv") }'
    baseline= best=
}

# check NAME EXPECTED KERNEL OPTIONS..: fits train.csv and looks at the rows held out. Of one split the decomposable kernel
# comes first: it is the baseline of the others.
check() {
    name=$1 expected=$2 kernel=$3
    shift 3
    "$orff" fit train.csv "$@" --kernel "$kernel" --features "$features" --skip-missing --json -q -o m.orff >f.json ||
        { fail "$name: fit $*"; return; }
    "$orff" evaluate m.orff held.csv --skip-missing --json -q >e.json || { fail "$name: evaluate"; return; }
    error=$(number e.json rmse) # the first ones of the object are those of all outputs
    [ "$kernel" != decomposable ] || baseline=$error
    bar=$baseline
    [ "$kernel" != auto ] || bar=$best
    best=$(awk -v a="$error" -v b="${best:-$error}" 'BEGIN { print a < b ? a : b }')
    printf '| %s | %s | %s | %s | %.4g | %.3f | %.4g | %.1f |\n' "$name" "$(number f.json n)" "$kernel" "$(number f.json features)" \
        "$error" "$(number e.json r2)" "$baseline" "$(number f.json seconds)"
    [ "$features" = 200 ] || return 0 # told, not judged
    less "$error" "$(awk -v a="$bar" 'BEGIN { print 1.05 * a }')" "$name, $kernel, against the others"
    less "$error" "$(awk -v a="$expected" 'BEGIN { print 1.15 * a }')" "$name, $kernel, against what it was"
}

echo '| data | rows | kernel | frequencies | held-out rmse | R squared | decomposable | fit, s |'
echo '|---|--:|---|--:|--:|--:|--:|--:|'
xy='--inputs x_km,y_km --outputs u_ms,v_ms'
lonlat='--inputs lon_deg,lat_deg --outputs u_ms,v_ms --geo lonlat'
# shellcheck disable=SC2086  # lists of words
{
    split "$data/drifters/gladfull.csv"
    for kernel in decomposable div-free div-free+decomposable auto; do check 'drifters (GLAD)' 0.125 $kernel $xy; done
    split "$data/drifters/laserfull.csv"
    for kernel in decomposable div-free+decomposable auto; do check 'drifters (LASER)' 0.033 $kernel $xy; done
    split "$data/ocean/hfradar_20220221T12.csv.gz"
    for kernel in decomposable div-free+decomposable auto; do check 'HF radar' 0.040 $kernel $lonlat; done
    gzip -dc "$data/stations/surface_wind.csv.gz" | awk -F, 'NR == 1 || /16:00:00/' >stations.csv
    split stations.csv
    for kernel in decomposable helmholtz auto; do check 'stations, 16:00' 2.4 $kernel $lonlat; done
    for film in 1 2; do
        gzip -dc "$data/piv/soapfilm_$film.csv.gz" | awk -F, 'NR == 1 || $5 > 0' >piv.csv
        split piv.csv
        for kernel in decomposable div-free+decomposable auto; do
            check "soap film $film" 0.0041 $kernel --inputs x_mm,y_mm --outputs u_ms,v_ms
        done
    done
    gzip -dc "$data/wind/coads_wind_climatology.csv.gz" | awk -F, 'NR == 1 || $1 == 1' >january.csv
    split january.csv
    for kernel in decomposable auto; do check 'COADS winds, January' 1.41 $kernel --inputs lon_deg,lat_deg --outputs u_ms,v_ms; done
}
split "$data/magnetic/swarm_Concat_A.csv"
check 'magnetic' 20.4 decomposable --inputs Latitude,Longitude,Radius --outputs N_res,E_res,C_res
split "$data/multitarget/enb.csv"
check 'buildings' 1.28 decomposable --inputs 1-8 --outputs Y1,Y2
split "$data/timeseries/macrodata.csv"
check 'macroeconomics' 113 decomposable --inputs year,quarter --outputs realgdp,realcons
split "$data/timeseries/wind_ireland.csv"
check 'Irish wind, by date' 4.82 decomposable --inputs month,day --outputs 4-15
# A day ahead: yesterday's winds are columns 3 to 14, today's the last twelve.
sed 1d "$data/timeseries/wind_ireland.csv" | awk -F, '{ now = $4; for (i = 5; i <= 15; i++) now = now "," $i
    if (NR > 1) print $2 "," $3 "," before "," now; before = now }' | sed '1i m,d,a1,a2,a3,a4,a5,a6,a7,a8,a9,a10,a11,a12,b1,b2,b3,b4,b5,b6,b7,b8,b9,b10,b11,b12' >ahead.csv
split ahead.csv
check 'Irish wind, a day ahead' 4.01 decomposable --inputs 1-14 --outputs 15-26

# NetCDF, directly.
expect 0 'written' "$orff" fit "$data"/ocean/hfr_*.nc --inputs lon,lat --outputs u,v --geo lonlat --features 100 -o nc.orff

# Digits: learned from the 60000 training images, judged on the 10000 of the test set.
images() { echo "$data/mnist/$1-images-idx3-ubyte.gz $data/mnist/$1-labels-idx1-ubyte.gz"; }
# shellcheck disable=SC2046
expect 0 'written' "$orff" fit $(images train) --classify --precision single --features "$features" -o mnist.orff
# shellcheck disable=SC2046
"$orff" evaluate mnist.orff $(images t10k) --json -q >e.json
printf '| MNIST, share of errors | 60000 | decomposable | %s | %.4f | | | |\n' "$features" "$(number e.json error_rate)"
[ "$features" != 200 ] || less "$(number e.json error_rate)" 0.134 "MNIST"
finish
