# Draws mnist-time.svg and mnist-time.png from the tables beside it:  gnuplot mnist-time.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 900,560 enhanced font 'sans,14' background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 900,560 enhanced font 'sans,11' background '#ffffff' }
set output 'mnist-time.'.format
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

# Seconds of a fit against N: of the processor (lines), on the wall (points alone), and the last points of the authors' curves.
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set xlabel 'number of images N' offset 0,0.6
set xrange [80:8e4]
set yrange [*:10000]
set ylabel 'seconds for a fit'
set key bmargin center vertical maxrows 3 Left reverse
pick(m,c) = (strcol(1) eq m ? column(c) : NaN)
plot 'times.csv' using (pick('orff',2)):4 every ::1 with linespoints lt 1 title 'features, processor time', \
     'times.csv' using (pick('exact',2)):4 every ::1 with linespoints lt 2 dt 2 title 'exact kernel, processor time', \
     'times.csv' using (pick('orff',2)):3 every ::1 with points lt 1 pt 6 title 'features, on the wall', \
     'times.csv' using (pick('exact',2)):3 every ::1 with points lt 2 pt 8 title 'exact kernel, on the wall', \
     '+' using (12900):(3.9) every ::0::0 with points lt 3 ps 1.8 title 'authors, features (2016)', \
     '+' using (12900):(3700) every ::0::0 with points lt 4 ps 1.8 title 'authors, exact kernel'

unset output
if (format eq 'svg') { format = 'png'; reset; load 'mnist-time.gp' }
