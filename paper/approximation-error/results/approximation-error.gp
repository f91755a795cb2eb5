# Draws approximation-error.svg, .pdf and .png, 174 mm wide and 90 mm high, from the tables beside it:  gnuplot approximation-error.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 658,340 enhanced font 'sans,10.67' linewidth 0.8 background '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 6.850in,3.543in enhanced font 'sans,8' fontscale 0.75 linewidth 0.6 background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 1315,680 enhanced font 'sans,8' fontscale 2.00 linewidth 1.60 pointscale 2.00 background '#ffffff' }
set output 'approximation-error.'.format
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

# The paper's figure: largest error over the pairs against D, iid frequencies, three kernels.
# "the thesis": the same figure there, github.com/RomainBrault/Thesis, gfx/kernel_reconstruction.pgf, read off as error times sqrt(D).
set logscale xy
set xlabel 'number of frequencies D'
set ylabel 'largest spectral-norm error'
set title 'Approximation error, iid frequencies, [-1,1]^4'
set format x '2^{%L}'
set logscale x 2
set format y '10^{%T}'
set xrange [12:5500]
set bars 0.5
set key outside right center Left reverse samplen 3
pick(k) = (strcol(1) eq k && strcol(2) eq 'iid' ? column(3) : NaN)
# sigmas.csv has error times sqrt(D) at D = 256.
at(sigma) = (abs(sigma - 0.55) < 1e-6 ? 256 : NaN)
read(k) = (strcol(1) eq k ? column(2) : NaN)
plot 'errors.csv' using (pick('div-free')):6:7 every ::1 with yerrorlines lt 3 title 'divergence-free, here (σ = 1)', \
     'errors.csv' using (pick('curl-free')):6:7 every ::1 with yerrorlines lt 2 title 'curl-free, here (σ = 1)', \
     'errors.csv' using (pick('decomposable')):6:7 every ::1 with yerrorlines lt 1 title 'decomposable, here (σ = 1)', \
     'sigmas.csv' using (at($1)):($4/16) every ::1 with points lt 3 pt 4 ps 1 title 'divergence-free, here (σ = 0.55)', \
     'sigmas.csv' using (at($1)):($3/16) every ::1 with points lt 2 pt 8 ps 1 title 'curl-free, here (σ = 0.55)', \
     'sigmas.csv' using (at($1)):($2/16) every ::1 with points lt 1 pt 6 ps 1 title 'decomposable, here (σ = 0.55)', \
     'printed.csv' using (read('div-free')):3 every ::1 with lines lt 3 dt 2 title 'divergence-free, the thesis', \
     'printed.csv' using (read('curl-free')):3 every ::1 with lines lt 2 dt 2 title 'curl-free, the thesis', \
     'printed.csv' using (read('decomposable')):3 every ::1 with lines lt 1 dt 2 title 'decomposable, the thesis'

unset output
if (format eq 'pdf') { format = 'png'; reset; load 'approximation-error.gp' }
if (format eq 'svg') { format = 'pdf'; reset; load 'approximation-error.gp' }
