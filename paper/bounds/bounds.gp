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
