#!/bin/sh
# Soap films, and the winds of a climatology.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/data.sh"

# shellcheck disable=SC2086  # lists of words
{
    for film in 1 2; do
        gzip -dc "$data/piv/soapfilm_$film.csv.gz" | awk -F, 'NR == 1 || $5 > 0' >piv.csv
        split piv.csv
        for kernel in decomposable div-free+decomposable; do
            check "soap film $film" 0.0041 $kernel --inputs x_mm,y_mm --outputs u_ms,v_ms
        done
    done
    check 'soap film 2' 0.0041 auto --inputs x_mm,y_mm --outputs u_ms,v_ms
    gzip -dc "$data/wind/coads_wind_climatology.csv.gz" | awk -F, 'NR == 1 || $1 == 1' >january.csv
    split january.csv
    for kernel in decomposable auto; do check 'COADS winds, January' 1.41 $kernel --inputs lon_deg,lat_deg --outputs u_ms,v_ms; done
}
finish
