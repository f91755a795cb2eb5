# Draws vector-field.svg and vector-field.png from the tables beside it:  gnuplot vector-field.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 1000,820 enhanced font 'sans,14' background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 1000,820 enhanced font 'sans,11' background '#ffffff' }
set output 'vector-field.'.format
set encoding utf8
set datafile separator ','
set linetype 1 lc rgb '#0072b2' pt 7  lw 2
set linetype 2 lc rgb '#d55e00' pt 9  lw 2
set linetype 3 lc rgb '#009e73' pt 5  lw 2
set linetype 4 lc rgb '#cc79a7' pt 11 lw 2
set linetype 5 lc rgb '#e69f00' pt 13 lw 2
set linetype 6 lc rgb '#56b4e9' pt 4  lw 2
set linetype 7 lc rgb '#000000' pt 6  lw 2
set border lc rgb '#444444'
set grid back lc rgb '#cccccc' lw 1 lt 1
set key noopaque spacing 1.15

# Above: the curl-free field; below: the divergence-free one. Left: against D; right: against the parameters.
set multiplot
set logscale x 2
set logscale y
set format y '10^{%T}'
set yrange [1e-3:0.3]
unset key
fields = 'curl-free divergence-free'
rules = 'curl-free div-free'
exact(f,k) = (strcol(1) eq f && strcol(2) eq k && strcol(3) eq 'exact' ? column(6) : NaN)
pick(f,k,m,c) = (strcol(1) eq f && strcol(2) eq k && strcol(3) eq m ? column(c) : NaN)
do for [row=1:2] {
    f = word(fields, row)
    r = word(rules, row)
    stats 'errors.csv' using (exact(f,'decomposable')) every ::1 name 'A' nooutput
    stats 'errors.csv' using (exact(f,r)) every ::1 name 'B' nooutput
    set tmargin at screen 0.95 - 0.43*(row - 1)
    set bmargin at screen 0.63 - 0.43*(row - 1)
    do for [side=0:1] {
        c = (side == 0 ? 4 : 5)
        set lmargin at screen 0.09 + 0.48*side
        set rmargin at screen 0.48 + 0.48*side
        set title f.' field' offset 0,-0.5
        set xlabel (side == 0 ? 'number of frequencies D' : 'number of parameters') offset 0,0.5
        set ylabel (side == 0 ? 'test mean square error' : '') offset 1,0
        plot A_mean with lines lt 1, \
             B_mean with lines lt 2, \
             'errors.csv' using (pick(f,'decomposable','iid',c)):6 every ::1 with linespoints lt 1 dt 3, \
             'errors.csv' using (pick(f,r,'iid',c)):6 every ::1 with linespoints lt 2 dt 3, \
             'errors.csv' using (pick(f,'decomposable','qmc',c)):6 every ::1 with linespoints lt 6 dt 3, \
             'errors.csv' using (pick(f,r,'qmc',c)):6 every ::1 with linespoints lt 5 dt 3
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
set lmargin at screen 0.03
set rmargin at screen 0.97
set tmargin at screen 0.115
set bmargin at screen 0.01
set key center center vertical maxrows 3 Left reverse samplen 3
plot NaN with lines lt 1 title 'decomposable, exact', \
     NaN with linespoints lt 1 dt 3 title 'decomposable, iid features (as the paper)', \
     NaN with linespoints lt 6 dt 3 title 'decomposable, quasi-Monte Carlo features', \
     NaN with lines lt 2 title 'curl-free or divergence-free, exact', \
     NaN with linespoints lt 2 dt 3 title 'the same, iid features (as the paper)', \
     NaN with linespoints lt 5 dt 3 title 'the same, quasi-Monte Carlo features'
unset multiplot

unset output
if (format eq 'svg') { format = 'png'; reset; load 'vector-field.gp' }
