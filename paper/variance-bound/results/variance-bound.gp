# Draws variance-bound.svg, .pdf and .png, 174 mm wide and 130 mm high, from the tables beside it:  gnuplot variance-bound.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 658,491 enhanced font 'sans,10.67' linewidth 0.8 background '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 6.850in,5.118in enhanced font 'sans,8' fontscale 0.75 linewidth 0.6 background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 1315,983 enhanced font 'sans,8' fontscale 2.00 linewidth 1.60 pointscale 2.00 background '#ffffff' }
set output 'variance-bound.'.format
set encoding utf8
set datafile separator ','
set linetype 1 lc rgb '#0072b2' pt 7  lw 2
set linetype 2 lc rgb '#d55e00' pt 9  lw 2
set linetype 3 lc rgb '#009e73' pt 5  lw 2
set linetype 4 lc rgb '#cc79a7' pt 11 lw 2
set linetype 5 lc rgb '#e69f00' pt 13 lw 2
set linetype 6 lc rgb '#56b4e9' pt 4  lw 2
set linetype 7 lc rgb '#000000' pt 6  lw 2
set pointsize 0.65
set border lc rgb '#444444'
set grid back lc rgb '#cccccc' lw 1 lt 1
set key noopaque spacing 1.15

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

unset output
if (format eq 'pdf') { format = 'png'; reset; load 'variance-bound.gp' }
if (format eq 'svg') { format = 'pdf'; reset; load 'variance-bound.gp' }
