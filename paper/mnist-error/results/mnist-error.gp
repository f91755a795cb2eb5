# Draws mnist-error.svg, .pdf and .png, 129 mm wide and 105 mm high, from the tables beside it:  gnuplot mnist-error.gp
if (!exists('format')) { format = 'svg' }
if (format eq 'svg') { set terminal svg size 488,397 enhanced font 'sans,10.67' linewidth 0.8 background '#ffffff' }
if (format eq 'pdf') { set terminal pdfcairo size 5.079in,4.134in enhanced font 'sans,8' fontscale 0.75 linewidth 0.6 background '#ffffff' }
if (format eq 'png') { set terminal pngcairo size 975,794 enhanced font 'sans,8' fontscale 2.00 linewidth 1.60 pointscale 2.00 background '#ffffff' }
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
set pointsize 0.65
set border lc rgb '#444444'
set grid back lc rgb '#cccccc' lw 1 lt 1
set key noopaque spacing 1.15

# Percent of wrong test images against D, bars: deviation over draws of the frequencies; exact kernels are horizontal lines.
# The authors' curve: R. Brault's thesis, github.com/RomainBrault/Thesis, gfx/learning_accuracy_MNIST.tikz.
pick(n,m,c) = (strcol(1) eq n && strcol(2) eq m ? column(c) : NaN)
# The quick version has one N only.
stats 'errors.csv' using 1 every ::1 name 'N' nooutput
low = sprintf('%.0f', N_min)
high = sprintf('%.0f', N_max)
stats 'errors.csv' using (pick(low,'exact',7)) every ::1 name 'A' nooutput
stats 'errors.csv' using (pick(high,'exact',7)) every ::1 name 'B' nooutput
set logscale xy
set xlabel "number of frequencies D\n" offset 0,0.4
set ylabel 'wrong test images, percent'
set xrange [7:19000]
set bars 0.5
set yrange [2.2:85]
set ytics (3,5,7,10,15,20,30,50,70)
set xtics (10,25,61,147,359,878,2149,5259,12874) rotate by 45 right offset 0,0.2
set key bmargin center vertical maxrows 3 Left reverse samplen 3
plot 'errors.csv' using (0.98*pick(low,'orff',3)):7:8 every ::1 with yerrorlines lt 2 title 'features, N = '.low, \
     'errors.csv' using (1.02*pick(high,'orff',3)):7:8 every ::1 with yerrorlines lt 1 title 'features, N = '.high, \
     'authors.csv' using ($1 > 0 ? $1 : NaN):2 every ::1 with linespoints lt 7 dt 4 title 'authors, features (thesis)', \
     A_mean with lines lt 2 dt 2 title 'exact kernel, N = '.low, \
     B_mean with lines lt 1 dt 2 title 'exact kernel, N = '.high, \
     4.4 with lines lt 7 dt 3 title 'authors, exact kernel (thesis)'

unset output
if (format eq "pdf") { format = "png"; reset; load "mnist-error.gp" }
if (format eq "svg") { format = "pdf"; reset; load "mnist-error.gp" }
