# Draws curl-time.svg, .pdf and .png, 129 mm wide and 98 mm high, from the tables beside it:  gnuplot curl-time.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 488,370 enhanced font 'sans,10.67' linewidth 0.8 background '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 5.079in,3.858in enhanced font 'sans,8' fontscale 0.75 linewidth 0.6 background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 975,741 enhanced font 'sans,8' fontscale 2.00 linewidth 1.60 pointscale 2.00 background '#ffffff' }
set output 'curl-time.'.format
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

# Seconds of a fit against N: of the processor (lines), on the wall (hollow points).
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set xlabel "number of points N\n" offset 0,0.4
set xrange [70:1.5e6]
set yrange [4e-4:5000]
set ylabel 'seconds for a fit' offset 0.5,0
set key bmargin center vertical maxrows 4 Left reverse samplen 3
pick(m,c) = (strcol(1) eq m ? column(c) : NaN)
plot 'times.csv' using (pick('orff',2)):4 every ::1 with linespoints lt 1 title 'features, processor time', \
     'times.csv' using (pick('lattice',2)):4 every ::1 with linespoints lt 3 title 'lattice, processor time', \
     'times.csv' using (pick('exact',2)):4 every ::1 with linespoints lt 2 dt 2 title 'exact kernel, processor time', \
     1000 with lines lt 7 dt 3 lw 1.5 title '1000 s: the limit of the paper', \
     'times.csv' using (pick('orff',2)):3 every ::1 with points lt 1 pt 6 title 'features, on the wall', \
     'times.csv' using (pick('lattice',2)):3 every ::1 with points lt 3 pt 4 title 'lattice, on the wall', \
     'times.csv' using (pick('exact',2)):3 every ::1 with points lt 2 pt 8 title 'exact kernel, on the wall'

unset output
if (format eq "pdf") { format = "png"; reset; load "curl-time.gp" }
if (format eq "svg") { format = "pdf"; reset; load "curl-time.gp" }
