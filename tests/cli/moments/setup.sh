# Rows in three parts, and how their moments are taken.
# shellcheck shell=sh
field a.csv 1 100
field b.csv 101 200
field c.csv 201 300
field all.csv 1 300
moments() { orff moments "$@" --inputs x_km,y_km --outputs u_ms,v_ms --kernel div-free --features 50; }

# predictions MOMENTS: of the model that comes from them, at the points of a.csv.
predictions() {
    orff fit --from-moments "$1" -o fitted.orff -q
    orff predict fitted.orff a.csv -o - -q
}

# same ONE OTHER: all numbers of two tables agree to 1e-7.
same() {
    paste -d , "$1" "$2" | awk -F, 'NR > 1 { n = NF / 2; for (i = 1; i <= n; i++) { e = $i - $(i + n); if (e > 1e-7 || e < -1e-7) bad++ } }
        END { print NR, "lines,", bad + 0, "numbers differ" }'
}

# lattice: the same, of a lattice.
lattice() { orff moments "$@" --inputs x_km,y_km --outputs u_ms,v_ms; }
