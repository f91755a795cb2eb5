# Draws mnist-error.svg and mnist-error.png from the tables beside it:  gnuplot mnist-error.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 900,600 enhanced font 'sans,14' background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 900,600 enhanced font 'sans,11' background '#ffffff' }
set output 'mnist-error.'.format
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

# Percent of wrong test images against D; exact kernels are horizontal lines.
pick(n,m,c) = (strcol(1) eq n && strcol(2) eq m ? column(c) : NaN)
# The quick version has one N only.
stats 'errors.csv' using 1 every ::1 name 'N' nooutput
low = sprintf('%.0f', N_min)
high = sprintf('%.0f', N_max)
stats 'errors.csv' using (pick(low,'exact',7)) every ::1 name 'A' nooutput
stats 'errors.csv' using (pick(high,'exact',7)) every ::1 name 'B' nooutput
set logscale xy
set xlabel 'number of frequencies D'
set ylabel 'wrong test images, percent'
set xrange [8:16000]
set yrange [2.5:70]
set ytics (3,5,7,10,15,20,30,50,70)
set xtics (10,25,61,147,359,878,2149,5259,12870)
set key top right Left reverse
plot 'errors.csv' using (pick(low,'orff',3)):7 every ::1 with linespoints lt 2 title 'features, N = '.low, \
     A_mean with lines lt 2 dt 2 title 'exact kernel, N = '.low, \
     'authors.csv' using ($1 > 0 ? $1 : NaN):2 every ::1 with linespoints lt 7 dt 4 title 'authors, features', \
     4.4 with lines lt 7 dt 3 title 'authors, exact kernel', \
     'errors.csv' using (pick(high,'orff',3)):7 every ::1 with linespoints lt 1 title 'features, N = '.high, \
     B_mean with lines lt 1 dt 2 title 'exact kernel, N = '.high

unset output
if (format eq 'svg') { format = 'png'; reset; load 'mnist-error.gp' }
