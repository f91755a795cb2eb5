# Draws bounds.svg, .pdf and .png, 174 mm wide and 84 mm high, from the tables beside it:  gnuplot bounds.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 658,317 enhanced font 'sans,10.67' linewidth 0.8 background '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 6.850in,3.307in enhanced font 'sans,8' fontscale 0.75 linewidth 0.6 background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 1315,635 enhanced font 'sans,8' fontscale 2.00 linewidth 1.60 pointscale 2.00 background '#ffffff' }
set output 'bounds.'.format
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

# P{ largest error >= 0.3 |K(0)| } against D: the theorem as printed and mended, and the share of draws measured.
set multiplot
set logscale x 10
set format x '10^{%T}'
set xrange [10:1e6]
set yrange [-0.03:1.06]
set bars 0.4
# Bars: the deviation of a share of so many draws. The quick version has fewer.
draws = 200
set ytics 0,0.25,1
unset key
kernels = 'decomposable curl-free div-free'
names = 'decomposable curl-free divergence-free'
pick(k,c) = (strcol(1) eq k ? column(c) : NaN)
set tmargin at screen 0.92
set bmargin at screen 0.28
do for [i=1:3] {
    k = word(kernels, i)
    set lmargin at screen 0.11 + 0.308*(i - 1)
    set rmargin at screen 0.36 + 0.308*(i - 1)
    set title word(names, i)
    set xlabel 'number of frequencies D'
    set ylabel (i == 1 ? "probability of an error\nabove 0.3 |K(0)|" : '') offset 0.5,0
    plot 'probability.csv' using (pick(k,3)):4 every ::1 with lines lt 2 dt 2, \
         'probability.csv' using (pick(k,3)):6 every ::1 with lines lt 3, \
         'probability.csv' using (pick(k,3)):7 every ::1 with lines lt 5, \
         'probability.csv' using (pick(k,3)):8 every ::1 with lines lt 4, \
         'measured.csv' using (pick(k,2)):3:(sqrt($3*(1 - $3)/draws)) every ::1 with yerrorlines lt 1
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
set tmargin at screen 0.14
set bmargin at screen 0.01
set key center center vertical maxrows 2 Left reverse samplen 2 width -3
plot NaN with lines lt 2 dt 2 title 'theorem as printed', \
     NaN with lines lt 3 title 'theorem, corrected', \
     NaN with lines lt 5 title 'bounded Bernstein', \
     NaN with lines lt 4 title 'importance sampled, bounded', \
     NaN with linespoints lt 1 title 'measured, iid'
unset multiplot

unset output
if (format eq "pdf") { format = "png"; reset; load "bounds.gp" }
if (format eq "svg") { format = "pdf"; reset; load "bounds.gp" }
