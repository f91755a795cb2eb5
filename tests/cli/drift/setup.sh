# Solid rotation on a grid, once with units in its names and once without, and points to start from.
# shellcheck shell=sh
rotation() {
    awk -v head="$1" 'BEGIN {
        print head
        for (i = -8; i <= 8; i++) for (j = -8; j <= 8; j++) printf "%g,%g,%g,%g\n", i / 4, j / 4, -j / 4, i / 4
    }'
}
rotation x_km,y_km,u_ms,v_ms >rotation.csv
learn() {
    orff fit "$1" --inputs "$2" --outputs "$3" --kernel div-free --base gaussian --sigma 2 --lambda 1e-10 --engine exact \
        --quiet -o "$4"
}
learn rotation.csv x_km,y_km u_ms,v_ms r.orff
printf 'x_km,y_km\n1,0\n0,-0.5\n' >points.csv
