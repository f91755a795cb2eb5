# Two series, the first of which moves the second; `series FIRST LAST` writes rows of them.
series() {
    awk -v first="$1" -v last="$2" 'BEGIN { print "day,a,b"; s = 1; a = b = 0.1
        for (t = 1; t <= last; t++) {
            s = (s * 16807) % 2147483647; u = s / 2147483647 - 0.5; s = (s * 16807) % 2147483647; v = s / 2147483647 - 0.5
            n = 1.4 * sin(1.7 * a) + 0.4 * u; b = 0.4 * b + cos(1.5 * a) + 0.4 * v; a = n
            if (t >= first) printf "%d,%.6f,%.6f\n", t, a, b } }'
}
series 1 200 >series.csv
