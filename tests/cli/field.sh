# Data for the scripts (common.sh) and the cases (run.py), which source this file.
# shellcheck shell=sh

# field NAME FIRST LAST: rows of a divergence-free field with noise, the same on every machine.
field() {
    awk -v first="$2" -v last="$3" 'BEGIN {
        seed = 42
        print "x_km,y_km,u_ms,v_ms"
        for (i = 1; i <= last; i++) {
            x = 2 * draw() - 1; y = 2 * draw() - 1; e = 0.1 * (draw() - 0.5); f = 0.1 * (draw() - 0.5)
            if (i >= first) printf "%.10f,%.10f,%.10f,%.10f\n", x, y, cos(2*x) * sin(3*y) + e, -2/3 * sin(2*x) * cos(3*y) + f
        }
    }
    function draw() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }' >"$1"
}
