# Draws samplings.svg, .pdf and .png, 174 mm wide and 125 mm high, from the tables beside it:  gnuplot samplings.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 658,472 enhanced font 'sans,10.67' linewidth 0.8 background '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 6.850in,4.921in enhanced font 'sans,8' fontscale 0.75 linewidth 0.6 background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 1315,945 enhanced font 'sans,8' fontscale 2.00 linewidth 1.60 pointscale 2.00 background '#ffffff' }
set output 'samplings.'.format
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

# Mean (above) and largest (below) error for the four ways of sampling. Bars: the deviation over the draws; curves are moved
# aside a little so that their bars do not cover each other.
set multiplot
set logscale x 2
set logscale y
set format x '2^{%L}'
set format y '10^{%T}'
set xtics 16,4,4096
set xrange [12:5500]
set bars 0.4
unset key
pick(k,s) = (strcol(1) eq k && strcol(2) eq s ? column(3) : NaN)
kernels = 'decomposable curl-free div-free'
names = 'decomposable curl-free divergence-free'
do for [row=0:1] {
    set tmargin at screen 0.94 - 0.43*row
    set bmargin at screen 0.60 - 0.43*row
    do for [i=1:3] {
        k = word(kernels, i)
        set lmargin at screen 0.07 + 0.32*(i - 1)
        set rmargin at screen 0.33 + 0.32*(i - 1)
        set title (row == 0 ? word(names, i) : '')
        set xlabel (row == 1 ? 'number of frequencies D' : '')
        set ylabel (i == 1 ? (row == 0 ? 'mean error' : 'largest error') : '') offset 1,0
        c = (row == 0 ? 4 : 6)
        plot 'errors.csv' using (0.94*pick(k,'iid')):c:c+1 every ::1 with yerrorlines lt 1, \
             'errors.csv' using (0.98*pick(k,'orthogonal')):c:c+1 every ::1 with yerrorlines lt 2, \
             'errors.csv' using (1.02*pick(k,'qmc')):c:c+1 every ::1 with yerrorlines lt 3, \
             'errors.csv' using (1.06*pick(k,'qmc+importance')):c:c+1 every ::1 with yerrorlines lt 4
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
set tmargin at screen 0.08
set bmargin at screen 0.01
set key center center horizontal maxrows 1 Left reverse samplen 3
plot NaN with linespoints lt 1 title 'iid, as in the paper', \
     NaN with linespoints lt 2 title 'orthogonal', \
     NaN with linespoints lt 3 title 'quasi-Monte Carlo', \
     NaN with linespoints lt 4 title 'quasi-Monte Carlo, importance'
unset multiplot

unset output
if (format eq 'pdf') { format = 'png'; reset; load 'samplings.gp' }
if (format eq 'svg') { format = 'pdf'; reset; load 'samplings.gp' }
