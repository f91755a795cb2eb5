# Above: D times the mean-square error against D, at one pair. Below: the same against the distance of the pair.
set multiplot
set format y '%g'
unset key
kernels = 'decomposable curl-free div-free'
names = 'decomposable curl-free divergence-free'
tops = '2.2 8 60'
pick(k) = (strcol(1) eq k ? column(2) : NaN)
do for [row=0:1] {
    table = (row == 0 ? 'against-D.csv' : 'against-distance.csv')
    set tmargin at screen 0.94 - 0.42*row
    set bmargin at screen 0.62 - 0.42*row
    if (row == 0) { set logscale x 10; set format x '10^{%T}'; set xrange [0.7:1500] }
    if (row == 1) { unset logscale x; set format x '%g'; set xrange [-0.15:4.15] }
    do for [i=1:3] {
        k = word(kernels, i)
        set lmargin at screen 0.07 + 0.32*(i - 1)
        set rmargin at screen 0.33 + 0.32*(i - 1)
        set yrange [-0.04*real(word(tops, i)):real(word(tops, i))]
        set title (row == 0 ? word(names, i) : '')
        set xlabel (row == 0 ? 'number of frequencies D' : 'distance r of the pair')
        set ylabel (i == 1 ? 'D × mean square error' : '') offset 1,0
        if (row == 0) {
            plot table using (pick(k)):6 every ::1 with lines lt 2 dt 2, \
                 table using (pick(k)):5 every ::1 with lines lt 3 lw 5, \
                 table using (pick(k)):4 every ::1 with lines lt 7 lw 1, \
                 table using (pick(k)):3 every ::1 with points lt 1
        } else {
            plot table using (pick(k)):6 every ::1 with lines lt 2 dt 2, \
                 table using (pick(k)):5 every ::1 with lines lt 3 lw 5, \
                 table using (pick(k)):4 every ::1 with lines lt 7 lw 1, \
                 table using (pick(k)):8 every ::1 with lines lt 4, \
                 table using (pick(k)):3 every ::1 with points lt 1 ps 0.35, \
                 table using (pick(k)):7 every ::1 with points lt 4 ps 0.35
        }
    }
}
# The legend, a panel of its own.
unset border
unset tics
unset xlabel
unset ylabel
unset title
unset logscale
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.05
set rmargin at screen 0.95
set tmargin at screen 0.10
set bmargin at screen 0.01
set key center center vertical maxrows 2 Left reverse samplen 3
plot NaN with lines lt 2 dt 2 title 'bound as printed', \
     NaN with lines lt 3 lw 5 title 'bound, corrected', \
     NaN with points lt 1 title 'empirical, iid', \
     NaN with lines lt 7 lw 1 title 'exact, iid', \
     NaN with points lt 4 title 'empirical, importance', \
     NaN with lines lt 4 title 'exact, importance'
unset multiplot
