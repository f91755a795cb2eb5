#!/bin/sh
# Radial velocities of two radars, made from the currents that they see.
. "$SOURCE_DIR/tests/cli/common.sh"
. "$SOURCE_DIR/tests/cli/data.sh"

# What two sites on the coast would see of these currents, each row by one of them along its bearing, with the noise of a
# radar: the vectors come out to a fifth of their spread (0.26 m/s), and the better site is found.
gzip -dc "$data/ocean/hfradar_20220221T12.csv.gz" | awk -F, -v OFS=, '
    BEGIN { srand(5); print "lon_deg,lat_deg,radial_ms,bearing_deg,site" }
    function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
    NR > 1 && $8 == 1 {
        for (k = 0; k < 2; k++) {
            east = ($1 + (k ? 74.9 : 74.2)) * cos($2 * 0.01745329); north = $2 - (k ? 38.9 : 40.2); r = sqrt(east * east + north * north)
            print $1, $2, (east * $3 + north * $4) / r + (k ? 0.15 : 0.05) * normal(), atan2(east, north) * 57.29578, k ? "south" : "north"
        }
    }' >radials.csv
gzip -dc "$data/ocean/hfradar_20220221T12.csv.gz" | awk -F, 'NR == 1 || $8 == 1' >vectors.csv
"$orff" fit radials.csv --inputs lon_deg,lat_deg --outputs radial_ms --direction bearing_deg --direction-from north \
    --noise-by site --geo lonlat -o radials.orff 2>told || fail "radials: $(cat told)"
grep -q 'noise of instrument 2: [23]' told || fail "radials: the noise of the sites: $(cat told)"
"$orff" evaluate radials.orff vectors.csv --outputs u_ms,v_ms --json -q >scores.json || fail 'radials: evaluate'
sed -n 's/^  "rmse": \(.*\),$/\1/p' scores.json | awk '{ exit !($1 < 0.09) }' || fail "radials: $(cat scores.json)"

# A sum of kernels would take a lattice minutes.
"$orff" fit radials.csv --inputs lon_deg,lat_deg --outputs radial_ms --direction bearing_deg --direction-from north \
    --geo lonlat --kernel div-free+decomposable --base matern32 --sigma 700+41 --weight 1+1 --lambda 1e-5 --json -q -o sum.orff >fit.json ||
    fail 'radials: a sum'
grep -q '"engine": "exact"' fit.json || fail "radials: the engine of a sum: $(cat fit.json)"
expect 0 '_std' "$orff" predict sum.orff --grid lon_deg=-74:-73:2,lat_deg=38:39:2 --std -o -

finish
