# Dimensions, sizes and units, for people and as JSON.
orff info f.nc
orff info f.nc --json | grep -c '"dimensions"'
